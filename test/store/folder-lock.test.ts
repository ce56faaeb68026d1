/** A folder is one server's at a time; a lock that was left behind keeps nobody out. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Holder, lockFile, takeFolder } from '../../src/store/folder-lock.ts';
import { createTestWall } from '../harness/wall.ts';

const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-lock-'));
afterAll(() => rmSync(root, { recursive: true }));

const now = Date.UTC(2026, 2, 2, 9);
const self: Holder = { pid: 100, beganAt: 5.5, host: 'here' };

/** A folder with a lock in it, which was touched so many seconds ago. */
function setUp(lock?: Holder | string, idleSeconds = 0) {
  const folder = mkdtempSync(path.join(root, 'folder-'));
  const file = path.join(folder, lockFile);
  if (lock !== undefined) {
    writeFileSync(file, typeof lock === 'string' ? lock : JSON.stringify(lock));
    utimesSync(file, new Date(now - idleSeconds * 1000), new Date(now - idleSeconds * 1000));
  }
  const wall = createTestWall(now);
  const take = (who: Holder = self) => takeFolder(folder, { self: who, wall, isRunning: (pid) => pid === 7 });
  return { file, wall, take };
}

test('a folder is taken once, and again when it was let go', () => {
  const { file, take } = setUp();
  const first = take();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self);
  expect(take()).toEqual({ ok: false, message: expect.stringContaining('another sandbox of this process') });
  if (first.ok) first.release();
  expect(existsSync(file)).toBe(false);
  expect(take()).toMatchObject({ ok: true });
});

test.each<[string, Holder | string, number, string | undefined]>([
  ['a process that runs', { ...self, pid: 7 }, 0, 'another sandbox (process 7)'],
  ['a process that runs, however long ago', { ...self, pid: 7 }, 9999, 'another sandbox (process 7)'],
  ['a process that has gone', { ...self, pid: 8 }, 0, undefined],
  ['one of before with this process’s number', { ...self, beganAt: 1 }, 0, undefined],
  ['another machine', { ...self, pid: 8, host: 'there' }, 10, 'a sandbox on there (process 8)'],
  ['another machine, long ago', { ...self, pid: 7, host: 'there' }, 31, undefined],
  ['nobody knows whom', '', 1, 'another sandbox; if that one has gone, wait 30 seconds'],
  ['nobody knows whom, long ago', '{"pid"', 31, undefined],
])('a lock of %s', (_, lock, idleSeconds, refusal) => {
  const { file, take } = setUp(lock, idleSeconds);
  const taken = take();
  if (refusal === undefined) {
    expect(taken).toMatchObject({ ok: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self);
  } else expect(taken).toEqual({ ok: false, message: expect.stringContaining(refusal) });
});

test('a lock that is held is touched, so that other machines see it', () => {
  const { wall, take } = setUp();
  expect(take()).toMatchObject({ ok: true });
  wall.pass(60_000);
  expect(take({ ...self, host: 'there' })).toMatchObject({ ok: false });
  expect(wall.timers()).toHaveLength(1);
});

test('a lock that was taken away, with its folder or without, is there again at the next touch', () => {
  const { file, take, wall } = setUp();
  take();
  rmSync(path.dirname(file), { recursive: true });
  wall.pass(5000);
  mkdirSync(path.dirname(file));
  wall.pass(5000);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self);
});

test('who lets go takes no lock away that is another’s by now', () => {
  const { file, take, wall } = setUp();
  const first = take();
  const other = JSON.stringify({ ...self, pid: 7 });
  writeFileSync(file, other);
  if (first.ok) first.release();
  expect(readFileSync(file, 'utf8')).toBe(other);
  expect(wall.timers()).toEqual([]);
});
