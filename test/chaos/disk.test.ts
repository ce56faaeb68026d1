/** A full disk, a read-only disk, a removed folder: answered requests stay stored, and writes resume. docs/operating/data.md shows the messages. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { ask, type Told } from '../flows/data-steps.ts';
import { type Ready, useBuiltProgram } from '../harness/program.ts';
import { createDice } from '../model/dice.ts';
import { useDisks } from './disks.ts';
import { createStoredJobs, type StoredJobs } from './stored-jobs.ts';

const program = useBuiltProgram();
const { createSmall: createDisk, findNone } = useDisks();
const dice = createDice(inject('seed'));
const noDisk = findNone('small');
if (noDisk) console.warn(`SKIPPED: a disk without space, since ${noDisk}.`);

const start = (data: string): Promise<Ready> => program.startReady(['--log', 'off', '--data', data]);
const createClient = (server: () => Ready, project: string): StoredJobs =>
  createStoredJobs(() => server().url, project, dice);

/** Answers that say that nothing is kept, each under an id of the log, which says why. */
async function expectUnkept(told: Told, { url, ended, child }: Ready, code: string): Promise<() => Promise<void>> {
  expect(told.status).toBe(500);
  expect(told.body.message).toContain(told.id);
  expect((await ask(`${url}/_sandbox/health`, 'GET')).status).toBe(200);
  return async () => {
    child.kill('SIGKILL');
    expect((await ended).err).toMatch(
      new RegExp(`responded to ${told.id} with 500: .*: can't be written \\(${code}\\)\n`),
    );
  };
}

describe.skipIf(noDisk)('a full disk', () => {
  test('causes a 500 with its reason in the log; with free space all continues, and no file is damaged', async () => {
    const disk = createDisk();
    let server = await start(disk.folder);
    const clients = ['p', 'Q'].map((project) => createClient(() => server, project));
    for (let turn = 0; turn < 4; turn += 1) {
      for (const { add } of clients) expect((await add()).status).toBe(200);
      disk.fill();
      const told = await Promise.all(clients.flatMap(({ add }) => [add(), add()]));
      let tell = async (): Promise<void> => undefined;
      for (const one of told) tell = await expectUnkept(one, server, 'ENOSPC');
      expect((await ask(`${server.url}/_sandbox/projects/p/jobs`, 'GET')).status).toBe(500);
      const isKilled = turn % 2 === 0;
      if (!isKilled) disk.empty();
      else {
        await tell();
        disk.empty();
        server = await start(disk.folder);
      }
      for (const { add, check } of clients) {
        expect((await add()).status).toBe(200);
        await check();
      }
    }
    await server.stop('SIGKILL');
    server = await start(disk.folder);
    for (const { check, stored } of clients) {
      await check();
      expect(stored.size).toBe(8);
    }
    await server.stop();
    expect(readdirSync(disk.folder).filter((name) => !/^(p|%51)\.json(\.log)?$/.test(name))).toEqual([]);
  });

  test('that fills under load: 200 means stored, anything else is a 500', async () => {
    const disk = createDisk();
    let server = await start(disk.folder);
    const client = createClient(() => server, 'p');
    while (!client.statuses.includes(500) && client.statuses.length < 1000) {
      await Promise.all(Array.from({ length: 8 }, client.add));
    }
    expect(new Set(client.statuses)).toEqual(new Set([200, 500]));
    await server.stop('SIGKILL');
    server = await start(disk.folder);
    await client.check();
    expect(client.stored.size).toBeGreaterThan(8);
  });

  test('prevents a start with exit code 2 and no stack; with free space it starts', async () => {
    const disk = createDisk();
    disk.fill();
    const { code, out, err } = await program.run(['--port', '0', '--data', disk.folder]);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: `--data: ${disk.folder} can't be written to (ENOSPC)\n`,
    });
    disk.empty();
    const server = await start(disk.folder);
    expect(await server.stop()).toBe(0);
  });

  test('does not prevent the end with exit code 0', async () => {
    const disk = createDisk();
    const server = await start(disk.folder);
    const { add } = createClient(() => server, 'p');
    disk.fill();
    expect((await add()).status).toBe(500);
    expect(await server.stop()).toBe(0);
  });
});

test.skipIf(noDisk)('a read-only folder causes a 500, and all continues when it is writable again', async () => {
  const disk = createDisk();
  let server = await start(disk.folder);
  const client = createClient(() => server, 'p');
  expect((await client.add()).status).toBe(200);
  disk.makeReadOnly(true);
  const tell = await expectUnkept(await client.add(), server, 'EROFS');
  disk.makeReadOnly(false);
  expect((await client.add()).status).toBe(200);
  await tell();
  server = await start(disk.folder);
  await client.check();
});

describe('a folder that is removed at run time', () => {
  test('causes a 500 until it is back; then all continues', async () => {
    const folder = path.join(program.folder, 'vanishing');
    let server = await start(folder);
    const client = createClient(() => server, 'p');
    expect((await client.add()).status).toBe(200);
    renameSync(folder, `${folder}-away`);
    const tell = await expectUnkept(await client.add(), server, 'ENOENT');
    renameSync(`${folder}-away`, folder);
    expect((await client.add()).status).toBe(200);
    await tell();
    server = await start(folder);
    await client.check();
  });

  test.each([
    ['with a request meanwhile', true],
    ['with none', false],
  ])('and created again, %s: all data is written to it again', async (what, isAsked) => {
    const folder = path.join(program.folder, `anew ${what}`);
    let server = await start(folder);
    const client = createClient(() => server, 'p');
    for (let n = 0; n < 3; n += 1) expect((await client.add()).status).toBe(200);
    rmSync(folder, { recursive: true });
    if (isAsked) expect((await client.add()).status).toBe(500);
    mkdirSync(folder);
    expect((await client.add()).status).toBe(200);
    await server.stop('SIGKILL');
    server = await start(folder);
    await client.check();
  });
});
