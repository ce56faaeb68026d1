/** The lock of a folder: one server at a time, and stale locks are taken over. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Holder, lockFile, takeLock } from '../../../../src/project/persistence/folder/lock.ts';
import { createFolder } from '../../../harness/folder.ts';
import { createTestWall } from '../../../harness/wall.ts';

const now = Date.UTC(2026, 2, 2, 9);
const self: Holder = { id: 'self', pid: 100, beganAt: 5.5, host: 'here', space: 'boot pid:[1]', startedAt: '10' };

/** Processes 7 and 9 run; the start time of 9 is unknown. */
const find = (pid: number) => (pid === 7 ? { startedAt: '70' } : pid === 9 ? { startedAt: undefined } : undefined);

/** Creates a folder with a lock that was touched this number of seconds ago. */
function setUp(lock?: Partial<Holder> | string, idleSeconds = 0) {
  const folder = createFolder();
  const file = path.join(folder, lockFile);
  if (lock !== undefined) {
    writeFileSync(file, typeof lock === 'string' ? lock : JSON.stringify({ ...self, id: 'other', ...lock }));
    utimesSync(file, new Date(now - idleSeconds * 1000), new Date(now - idleSeconds * 1000));
  }
  const wall = createTestWall(now);
  const take = (staleSign?: string) => takeLock(folder, { self, wall, processes: { find }, staleSign });
  return { file, take };
}

test('is acquired once, and again after its release', () => {
  const { file, take } = setUp();
  expect(take()).toMatchObject({ ok: true });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self);
  expect(take()).toEqual({ ok: false, message: expect.stringContaining('another sandbox of this process') });
  rmSync(file);
  expect(take()).toMatchObject({ ok: true });
});

const pausedMessage = 'in use by a sandbox on here (process 100)';

test.each<[string, Partial<Holder> | string, number, string | undefined]>([
  ['a running process', { pid: 7, startedAt: '70' }, 0, 'another sandbox (process 7)'],
  ['a running process, not touched for long', { pid: 7, startedAt: '70' }, 9999, 'another sandbox (process 7)'],
  ['a process that has stopped', { pid: 8 }, 0, undefined],
  ['a process whose id now belongs to another one', { pid: 7, startedAt: '69' }, 0, undefined],
  ['a process with an unknown start time', { pid: 9 }, 29, 'a sandbox on here (process 9)'],
  ['a process with an unknown start time, stale', { pid: 9 }, 31, undefined],
  ['an earlier process with our process id', { beganAt: 1 }, 0, undefined],
  [
    'another container with the same process id and host name',
    { space: 'boot pid:[2]', beganAt: 1 },
    29,
    pausedMessage,
  ],
  ['another container, otherwise equal', { space: 'boot pid:[2]' }, 0, pausedMessage],
  ['another container, stale', { space: 'boot pid:[2]', beganAt: 1 }, 31, undefined],
  ['this machine before its last boot', { space: 'before pid:[1]', pid: 8 }, 10, 'a sandbox on here (process 8)'],
  ['another machine', { pid: 8, host: 'there', space: 'theirs' }, 10, 'a sandbox on there (process 8)'],
  ['another machine, stale', { pid: 7, host: 'there', space: 'theirs' }, 31, undefined],
  ['an older version', '{"pid":8,"beganAt":1,"host":"here"}', 10, 'a sandbox on here (process 8)'],
  ['an older version, stale', '{"pid":7,"beganAt":1,"host":"here"}', 31, undefined],
  ['an unknown holder', '', 1, 'in use by another sandbox'],
  ['an unknown holder, stale', '{"pid"', 31, undefined],
])('acquires or rejects the lock of %s', (_, lock, idleSeconds, refusal) => {
  const { file, take } = setUp(lock, idleSeconds);
  const taken = take();
  if (refusal === undefined) {
    expect(taken).toMatchObject({ ok: true });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(self);
  } else expect(taken).toMatchObject({ ok: false, message: expect.stringContaining(refusal) });
});

test.each<[string, Partial<Holder> | string, boolean]>([
  ['is certain to run', { pid: 7, startedAt: '70' }, true],
  ['may be in another container', { space: 'boot pid:[2]' }, false],
  ['is unknown', '', false],
])('the rejection has no sign only for a holder that certainly runs: one that %s', (_, lock, isCertain) => {
  const taken = setUp(lock, 1).take();
  expect(!taken.ok && taken.sign === undefined).toBe(isCertain);
});

test('a lock with a stale sign is taken over, unless its holder has touched it since', () => {
  const { file, take } = setUp({ space: 'boot pid:[2]' }, 1);
  const taken = take();
  const sign = taken.ok ? undefined : taken.sign;
  utimesSync(file, new Date(now), new Date(now));
  const touched = take(sign);
  expect(touched).toMatchObject({ ok: false, sign: expect.not.stringMatching(String(sign)) });
  expect(take(touched.ok ? undefined : touched.sign)).toMatchObject({ ok: true });
});
