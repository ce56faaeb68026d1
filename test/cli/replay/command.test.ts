/** `field-sandbox replay`: what golden/replay.txt leaves open. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runReplay } from '../../../src/cli/replay/command.ts';
import type { WallClock } from '../../../src/lib/time.ts';
import { createIo, runCommand } from '../../harness/cli.ts';
import { createFolder } from '../../harness/folder.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const folder = createFolder();

/** A recording as a value of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: tests set values of the wrong type
type Tampered = Record<string, any>;

/** Writes the recording of a project, with a change. Returns its file. */
async function record(project: string, change: (recording: Tampered) => unknown = () => undefined): Promise<string> {
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  change(body);
  const file = path.join(folder, `${project}.json`);
  writeFileSync(file, JSON.stringify(body));
  return file;
}

/** Imports an order, and a job that fails downstream. */
async function usedProject(): Promise<string> {
  const project = freshProject();
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'ORD-1' }] });
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
  await sandbox.advance(project, '2s');
  return project;
}

test('control characters in the file are removed', async () => {
  const odd = '\u001b[2J\r\nidentical: 1 request\u2028\u009b2J';
  const file = await record(await usedProject(), ({ changes: [one] }) => {
    one.response.body = odd;
    one.request.body = ` ${one.request.body}${odd.slice(4, 6)}`;
  });
  const { out } = await runCommand(['replay', file]);
  expect(out.split('\n')).toHaveLength(7);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/);
});

test.each([
  [90, '90 ms'],
  [72_000, '1 min 12 s'],
  [6_000_000, '1 h 40 min'],
  [86_400_000, '1 d'],
])('a duration of %d ms is formatted in its two largest units', async (ms, took) => {
  let readings = 0;
  const wall: WallClock = { ...createTestWall(), elapsed: () => ms * readings++ };
  const io = createIo();
  expect(await runReplay({ files: [await record(await usedProject())] }, io, wall)).toBe(0);
  expect(io.written.out).toBe(`identical: 2 requests, 1 callback; replayed 2.0 s of project time in ${took}\n`);
});

test('results of conditions on secrets of entries are read in the form of earlier recordings, too', async () => {
  const project = freshProject();
  const item = { where: { 'attributes.password': 'b' } };
  const scenario = { name: 'secretive', rules: [{ when: { item }, then: { refuse: 'password' } }] };
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
  const jobs = ['a', 'b'].map((password) => ({ id: `J-${password}`, attributes: { password } }));
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  const name = 'project/secretive#1 attributes.password';
  const file = await record(project, ({ changes }) => {
    const request = changes.find(({ kind }: Tampered) => kind === 'request');
    expect(request.secretTests).toEqual({ [name]: '-1 +2' });
    request.secretTests = { [`${name} 1`]: false, [`${name} 2`]: true };
  });
  expect((await runCommand(['replay', file])).out).toMatch(/^identical: 1 request/);
});

// The superuser may list every folder.
test.skipIf(process.getuid?.() === 0)('a folder that may not be listed cannot be replayed', async () => {
  const closed = path.join(createFolder(), 'closed');
  mkdirSync(closed, 0o000);
  const { code, out } = await runCommand(['replay', path.dirname(closed)]);
  chmodSync(closed, 0o700);
  expect(out).toContain(`${closed}: permission denied\n`);
  expect(code).toBe(2);
});
