/** A folder whose last server may have gone is waited for, until that gives a sign of life or is certain to have gone. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { processStartedAt } from '../../../src/lib/time.ts';
import { openDataFolder } from '../../../src/project/persistence/data-folder.ts';
import { createProcessTable } from '../../../src/project/persistence/process-table.ts';
import { createTestWall } from '../../harness/wall.ts';

const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-folder-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Opens a folder with this lock in it; `during` is called with how many seconds it has waited. */
async function open(lock: object, during: (waited: number, touch: () => void) => void = () => undefined, aheadMs = 0) {
  const folder = mkdtempSync(path.join(root, 'data-'));
  const file = path.join(folder, '.lock');
  writeFileSync(file, JSON.stringify(lock));
  const wall = createTestWall(Date.now());
  const touch = (): void => {
    const now = new Date(wall.now() + aheadMs);
    utimesSync(file, now, now);
  };
  touch();
  const remarks: string[] = [];
  const opened = await openDataFolder(folder, {
    wall,
    warn: (text) => remarks.push(text),
    onLockLost: () => undefined,
    pause: async (ms) => {
      wall.pass(ms);
      during(wall.elapsed() / 1000, touch);
    },
  });
  if (opened.ok) opened.folder.hold.release();
  return { folder, opened, remarks, waited: wall.elapsed() / 1000 };
}

/** What a container has in common with another that was made of the same image, with the same host name. */
const twin = { id: 'twin', pid: process.pid, beganAt: processStartedAt, host: 'here', space: 'boot pid:[2]' };

test('a container that was killed is waited for, and its folder is taken over after 30 seconds without a sign', async () => {
  const { folder, opened, remarks, waited } = await open(twin);
  expect(opened.ok).toBe(true);
  expect(waited).toBeGreaterThanOrEqual(30);
  expect(waited).toBeLessThan(32);
  const wait = 'unless that was killed: waiting up to 30 seconds for a sign of life';
  expect(remarks).toEqual([`--data: ${folder} is in use by a sandbox on here (process ${process.pid}), ${wait}`]);
});

test('one that runs is noticed by its first sign of life, also with the same number and host name', async () => {
  const { opened, waited } = await open(twin, (seconds, touch) => {
    if (seconds === 4) touch();
  });
  expect(opened).toMatchObject({ ok: false, message: `is in use by a sandbox on here (process ${process.pid})` });
  expect(waited).toBeLessThanOrEqual(5);
});

test('a lock whose date is ahead, since another machine’s clock is, does not keep a folder for ever', async () => {
  const { opened, waited } = await open(twin, () => undefined, 3_600_000);
  expect(opened.ok).toBe(true);
  expect(waited).toBeLessThan(32);
});

test.runIf(createProcessTable().space)('a number that another program has now is recognised at once', async () => {
  const processes = createProcessTable();
  const parent = { id: 'gone', pid: process.ppid, beganAt: 1, host: 'here', space: processes.space };
  expect(processes.find(process.ppid)?.startedAt).toMatch(/^\d+$/);
  const before = await open({ ...parent, startedAt: '1' });
  expect([before.opened.ok, before.waited]).toEqual([true, 0]);
  const now = await open({ ...parent, startedAt: processes.find(process.ppid)?.startedAt });
  expect(now.opened).toMatchObject({ ok: false, message: `is in use by another sandbox (process ${process.ppid})` });
});

test('a folder in the place of which there is a file is none', async () => {
  const folder = mkdtempSync(path.join(root, 'data-'));
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const parts = { wall: createTestWall(), warn: () => undefined, onLockLost: () => undefined };
  await expect(openDataFolder(path.join(file, 'x'), parts)).resolves.toEqual({
    ok: false,
    message: "can't be made (ENOTDIR)",
  });
});
