/** Holding a folder: touching the lock, noticing a takeover, and releasing. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Hold, holdFolder, LockLost } from '../../../../src/project/persistence/folder/hold.ts';
import { type Holder, lockFile, takeLock } from '../../../../src/project/persistence/folder/lock.ts';
import { createFolder } from '../../../harness/folder.ts';
import { createTestWall } from '../../../harness/wall.ts';

/** Creates a folder for servers on two machines, which can't see each other's processes. */
function setUp() {
  const folder = createFolder();
  // The file system dates a new lock by the machine's own clock.
  const wall = createTestWall(Date.now());
  const losses: string[] = [];
  function take(host: string, clock = wall): Hold {
    const self: Holder = { id: `id-${host}`, pid: 1, beganAt: 5, host, space: host, startedAt: '1' };
    const taken = takeLock(folder, { self, wall: clock, processes: { find: () => undefined } });
    if (!taken.ok) throw new Error(taken.message);
    return holdFolder(taken.lock, (by) => losses.push(`${host} by ${by}`));
  }
  /** Clock of another machine, which shows that the lock is stale. */
  const later = createTestWall(wall.now() + 100_000);
  return { folder, file: path.join(folder, lockFile), wall, later, losses, take };
}

test('touches its lock, so that other machines do not take it over', () => {
  const { wall, take } = setUp();
  take('here');
  wall.pass(60_000);
  expect(() => take('there')).toThrow('is in use by a sandbox on here (process 1)');
  expect(wall.timers()).toHaveLength(1);
});

test('acquires a removed and newly created empty folder again at the next touch', () => {
  const { folder, file, take, wall } = setUp();
  const hold = take('here');
  const text = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  wall.pass(5000);
  expect(() => hold.verify()).toThrow('ENOENT');
  mkdirSync(folder);
  wall.pass(5000);
  expect(readFileSync(file, 'utf8')).toBe(text);
  hold.restore();
  expect(existsSync(hold.workFolder)).toBe(true);
});

test('keeps a folder that is moved away and back', () => {
  const { folder, take, wall, losses } = setUp();
  const hold = take('here');
  renameSync(folder, `${folder}-away`);
  wall.pass(60_000);
  renameSync(`${folder}-away`, folder);
  wall.pass(5000);
  hold.verify();
  expect(losses).toEqual([]);
});

test('reports a takeover once, and changes nothing afterwards', () => {
  const { file, take, wall, later, losses } = setUp();
  const first = take('here');
  const second = take('there', later);
  const text = readFileSync(file, 'utf8');
  wall.pass(60_000);
  expect(() => first.verify()).toThrow(LockLost);
  expect(() => first.restore()).toThrow(LockLost);
  expect(losses).toEqual(['here by a sandbox on there (process 1)']);
  expect(wall.timers()).toEqual([]);
  second.verify();
  first.release();
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(existsSync(second.workFolder)).toBe(true);
});

test('reports a takeover even if the other server has released the folder', () => {
  const { folder, take, later, losses } = setUp();
  const first = take('here');
  const second = take('there', later);
  writeFileSync(path.join(folder, 'p.json'), '');
  second.release();
  expect(() => first.verify()).toThrow(LockLost);
  expect(losses).toEqual(['here by another sandbox']);
});

test('an unfinished file of an earlier server cannot replace a file after a takeover', () => {
  const { folder, take, later } = setUp();
  const first = take('here');
  const begun = path.join(first.workFolder, 'p.json');
  writeFileSync(begun, 'late');
  const second = take('there', later);
  expect(() => renameSync(begun, path.join(folder, 'p.json'))).toThrow('ENOENT');
  expect(() => writeFileSync(begun, 'later')).toThrow('ENOENT');
  expect(readdirSync(folder).sort()).toEqual([lockFile, path.basename(second.workFolder)].sort());
  expect(readdirSync(second.workFolder)).toEqual([]);
});

test('releasing leaves no files and no timers', () => {
  const { folder, take, wall } = setUp();
  take('here').release();
  expect(readdirSync(folder)).toEqual([]);
  expect(wall.timers()).toEqual([]);
});
