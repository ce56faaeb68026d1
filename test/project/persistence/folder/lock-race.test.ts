/** Several servers find a stale lock: in every order of their steps, exactly one acquires the folder. */
import fs, { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Hold, holdFolder } from '../../../../src/project/persistence/folder/hold.ts';
import { type LockFiles, lockFile, takeLock } from '../../../../src/project/persistence/folder/lock.ts';
import { createFolder } from '../../../harness/folder.ts';
import { createTestWall } from '../../../harness/wall.ts';

const now = Date.UTC(2026, 2, 2, 9);
const longAgo = new Date(now - 31_000);
const space = 'table of processes';
const goneHolder = JSON.stringify({ id: 'gone', pid: 8, beganAt: 1, host: 'here', space, startedAt: '1' });

/** Creates file functions that call `before` with the number of steps so far. */
function watchSteps(before: (step: number) => void): LockFiles {
  let step = 0;
  const watched = <F extends (...given: never[]) => unknown>(run: F): F =>
    ((...given: Parameters<F>) => {
      before(step++);
      return run(...given);
    }) as F;
  const { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } = fs;
  return {
    closeSync: watched(closeSync),
    openSync: watched(openSync),
    readFileSync: watched(readFileSync),
    rmSync: watched(rmSync),
    statSync: watched(statSync as never) as LockFiles['statSync'],
    utimesSync: watched(utimesSync),
    writeSync: watched(writeSync as never) as LockFiles['writeSync'],
  };
}

/** Creates a folder with a stale lock, and processes 100, 101, … that may acquire it. */
function setUp() {
  const folder = createFolder();
  const file = path.join(folder, lockFile);
  writeFileSync(file, goneHolder);
  const wall = createTestWall(now);
  const gone = new Set([8]);
  const holders = new Set<number>();
  function take(pid: number, before: (step: number) => void = () => undefined): Hold | undefined {
    const self = { id: String(pid), pid, beganAt: 5, host: 'here', space, startedAt: String(pid) };
    const files = watchSteps(before);
    const find = (other: number) => (gone.has(other) ? undefined : { startedAt: String(other) });
    const taken = takeLock(folder, { self, wall, processes: { find }, files });
    if (!taken.ok) return undefined;
    holders.add(pid);
    return holdFolder({ ...taken.lock, files: fs }, () => undefined);
  }
  function letGo(pid: number, hold: Hold | undefined): void {
    hold?.release();
    holders.delete(pid);
  }
  return { folder, file, gone, holders, take, letGo };
}

/** Lists the lock files and the `.taking` files. */
const locksIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith(lockFile));

/** Number of steps that a single server needs to take over a stale lock. */
function countSteps(): number {
  let count = 0;
  setUp().take(100, () => {
    count += 1;
  });
  return count;
}

const steps = Array.from({ length: countSteps() }, (_, step) => step);

test.each<[string, boolean, boolean]>([
  ['one after the other', false, false],
  ['one after the other, of which the first lets go again', true, false],
  ['one within the other', false, true],
])('one of three parallel servers acquires the folder: %s', (_, letsGo, isWithin) => {
  for (const first of steps) {
    for (const second of steps) {
      if (!isWithin && second < first) continue;
      const { folder, file, holders, take, letGo } = setUp();
      const third = (): void => void take(102);
      take(100, (step) => {
        if (step === first) {
          const hold = take(101, (inner) => (isWithin && inner === second ? third() : undefined));
          if (letsGo) letGo(101, hold);
        }
        if (!isWithin && step === second) third();
      });
      const when = `before steps ${first} and ${second}`;
      expect([...holders], when).toHaveLength(1);
      expect(JSON.parse(readFileSync(file, 'utf8')).pid, when).toBe([...holders][0]);
      expect(locksIn(folder), when).toEqual([lockFile]);
    }
  }
});

test('a server killed during a takeover does not lock the folder', () => {
  for (const last of steps) {
    const { folder, gone, take } = setUp();
    const kill = (step: number): void => {
      if (step >= last) throw new Error('killed');
    };
    expect(() => take(100, kill)).toThrow('killed');
    gone.add(100);
    // Of what had not been written yet nobody can tell whose it is: that takes half a minute.
    for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), longAgo, longAgo);
    expect(take(101), `before step ${last}`).toBeDefined();
    expect(take(102)).toBeUndefined();
    // What it left lies about until the next one is to be taken over.
    gone.add(101);
    expect(take(103), `before step ${last}`).toBeDefined();
    expect(locksIn(folder)).toEqual([lockFile]);
  }
});
