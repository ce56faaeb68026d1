/** A folder is one server's at a time; a lock that was left behind keeps nobody out. */
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Holder, lockFile, takeLock } from '../../../src/project/persistence/folder-lock.ts';
import { createTestWall } from '../../harness/wall.ts';

const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-lock-'));
afterAll(() => rmSync(root, { recursive: true }));

const now = Date.UTC(2026, 2, 2, 9);
const self: Holder = { id: 'self', pid: 100, beganAt: 5.5, host: 'here', space: 'boot pid:[1]', startedAt: '10' };

/** Processes 7 and 9 run; of 9, nobody knows since when. */
const find = (pid: number) => (pid === 7 ? { startedAt: '70' } : pid === 9 ? { startedAt: undefined } : undefined);

/** A folder with a lock in it, which was touched so many seconds ago. */
function setUp(lock?: Partial<Holder> | string, idleSeconds = 0) {
  const folder = mkdtempSync(path.join(root, 'folder-'));
  const file = path.join(folder, lockFile);
  if (lock !== undefined) {
    writeFileSync(file, typeof lock === 'string' ? lock : JSON.stringify({ ...self, id: 'other', ...lock }));
    utimesSync(file, new Date(now - idleSeconds * 1000), new Date(now - idleSeconds * 1000));
  }
  const wall = createTestWall(now);
  const take = (staleSign?: string) => takeLock(folder, { self, wall, processes: { find }, staleSign });
  return { file, take };
}

test('a folder is taken once, and again when it was let go', () => {
  const { file, take } = setUp();
  expect(take()).toMatchObject({ ok: true });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self);
  expect(take()).toEqual({ ok: false, message: expect.stringContaining('another sandbox of this process') });
  rmSync(file);
  expect(take()).toMatchObject({ ok: true });
});

const pausedMessage = 'in use by a sandbox on here (process 100)';

test.each<[string, Partial<Holder> | string, number, string | undefined]>([
  ['a process that runs', { pid: 7, startedAt: '70' }, 0, 'another sandbox (process 7)'],
  ['a process that runs, however long ago', { pid: 7, startedAt: '70' }, 9999, 'another sandbox (process 7)'],
  ['a process that has gone', { pid: 8 }, 0, undefined],
  ['a process whose number is another’s now', { pid: 7, startedAt: '69' }, 0, undefined],
  ['a number of which nobody knows since when', { pid: 9 }, 29, 'a sandbox on here (process 9)'],
  ['a number of which nobody knows since when, long ago', { pid: 9 }, 31, undefined],
  ['one of before with this process’s number', { beganAt: 1 }, 0, undefined],
  ['another container with the same number and host name', { space: 'boot pid:[2]', beganAt: 1 }, 29, pausedMessage],
  ['another container, all else being the same', { space: 'boot pid:[2]' }, 0, pausedMessage],
  ['another container, long ago', { space: 'boot pid:[2]', beganAt: 1 }, 31, undefined],
  ['this machine, before it was booted', { space: 'before pid:[1]', pid: 8 }, 10, 'a sandbox on here (process 8)'],
  ['another machine', { pid: 8, host: 'there', space: 'theirs' }, 10, 'a sandbox on there (process 8)'],
  ['another machine, long ago', { pid: 7, host: 'there', space: 'theirs' }, 31, undefined],
  ['an older version', '{"pid":8,"beganAt":1,"host":"here"}', 10, 'a sandbox on here (process 8)'],
  ['an older version, long ago', '{"pid":7,"beganAt":1,"host":"here"}', 31, undefined],
  ['nobody knows whom', '', 1, 'in use by another sandbox'],
  ['nobody knows whom, long ago', '{"pid"', 31, undefined],
])('a lock of %s', (_, lock, idleSeconds, refusal) => {
  const { file, take } = setUp(lock, idleSeconds);
  const taken = take();
  if (refusal === undefined) {
    expect(taken).toMatchObject({ ok: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self);
  } else expect(taken).toMatchObject({ ok: false, message: expect.stringContaining(refusal) });
});

test.each<[string, Partial<Holder> | string, boolean]>([
  ['runs', { pid: 7, startedAt: '70' }, true],
  ['may be in another container', { space: 'boot pid:[2]' }, false],
  ['nobody knows', '', false],
])('a holder that %s: whether that is certain', (_, lock, isCertain) => {
  const taken = setUp(lock, 1).take();
  expect(!taken.ok && taken.sign === undefined).toBe(isCertain);
});

test('a lock is taken over by its sign, unless its holder has touched it since', () => {
  const { file, take } = setUp({ space: 'boot pid:[2]' }, 1);
  const taken = take();
  const sign = taken.ok ? undefined : taken.sign;
  utimesSync(file, new Date(now), new Date(now));
  const touched = take(sign);
  expect(touched).toMatchObject({ ok: false, sign: expect.not.stringMatching(String(sign)) });
  expect(take(touched.ok ? undefined : touched.sign)).toMatchObject({ ok: true });
});
