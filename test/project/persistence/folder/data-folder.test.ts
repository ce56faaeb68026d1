/** Opening a folder whose last server may have stopped: waits for a sign of life. */
import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { processStartedAt } from '../../../../src/lib/time.ts';
import { openDataFolder } from '../../../../src/project/persistence/folder/data-folder.ts';
import { createProcessTable } from '../../../../src/project/persistence/folder/process-table.ts';
import { createFolder } from '../../../harness/folder.ts';
import { createTestWall } from '../../../harness/wall.ts';

/** Opens a folder with this lock; calls `during` with the seconds waited so far. */
async function open(lock: object, during: (waited: number, touch: () => void) => void = () => undefined, aheadMs = 0) {
  const folder = createFolder();
  const file = path.join(folder, '.lock');
  writeFileSync(file, JSON.stringify(lock));
  const wall = createTestWall(Date.now());
  const touch = (): void => {
    const now = new Date(wall.now() + aheadMs);
    utimesSync(file, now, now);
  };
  touch();
  const remarks: string[] = [];
  const opened: unknown = await openDataFolder(folder, {
    wall,
    warn: (text) => remarks.push(text),
    onLockLost: () => undefined,
    pause: async (ms) => {
      wall.pass(ms);
      during(wall.elapsed() / 1000, touch);
    },
  }).then(
    ({ hold }) => hold.release(),
    (error: Error) => error.message.replace(folder, 'FOLDER'),
  );
  return { folder, opened, remarks, waited: wall.elapsed() / 1000 };
}

/** The fields that two containers of the same image with the same host name have in common. */
const twin = { id: 'twin', pid: process.pid, beganAt: processStartedAt, host: 'here', space: 'boot pid:[2]' };

test('takes over the folder of a killed container after 30 seconds without a sign of life', async () => {
  const { folder, opened, remarks, waited } = await open(twin);
  expect(opened).toBeUndefined();
  expect(waited).toBeGreaterThanOrEqual(30);
  expect(waited).toBeLessThan(32);
  const wait = 'If that process was killed, its lock expires: waiting up to 30 seconds';
  expect(remarks).toEqual([`--data: ${folder} is in use by a sandbox on here (process ${process.pid}). ${wait}`]);
});

test('rejects the start at the first sign of life, even of the same process id and host name', async () => {
  const { opened, waited } = await open(twin, (seconds, touch) => {
    if (seconds === 4) touch();
  });
  expect(opened).toBe(`--data: FOLDER is in use by a sandbox on here (process ${process.pid})`);
  expect(waited).toBeLessThanOrEqual(5);
});

test('a lock with a time in the future does not lock the folder forever', async () => {
  const { opened, waited } = await open(twin, () => undefined, 3_600_000);
  expect(opened).toBeUndefined();
  expect(waited).toBeLessThan(32);
});

test.runIf(createProcessTable().space)('takes over at once if another program now has the process id', async () => {
  const processes = createProcessTable();
  const parent = { id: 'gone', pid: process.ppid, beganAt: 1, host: 'here', space: processes.space };
  expect(processes.find(process.ppid)?.startedAt).toMatch(/^\d+$/);
  const before = await open({ ...parent, startedAt: '1' });
  expect([before.opened, before.waited]).toEqual([undefined, 0]);
  const now = await open({ ...parent, startedAt: processes.find(process.ppid)?.startedAt });
  expect(now.opened).toBe(`--data: FOLDER is in use by another sandbox (process ${process.ppid})`);
});

test('rejects a path through a file', async () => {
  const folder = createFolder();
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const parts = { wall: createTestWall(), warn: () => undefined, onLockLost: () => undefined };
  const opening = openDataFolder(path.join(file, 'x'), parts);
  await expect(opening).rejects.toThrow(`--data: ${file}/x can't be created (ENOTDIR: a folder of its path is a file)`);
});
