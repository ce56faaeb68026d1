/** `field-sandbox replay` of files and folders: what golden/replay.txt leaves open. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runReplay } from '../../../src/cli/replay/command.ts';
import type { WallClock } from '../../../src/lib/time.ts';
import { createIo, runCommand } from '../../harness/cli.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';
import { type Tampered, tamper, tellStory } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const root = mkdtempSync(path.join(tmpdir(), 'replay-'));
afterAll(() => rmSync(root, { recursive: true }));
let story = '';

beforeAll(async () => {
  story = await tellStory(sandbox, freshProject());
});

/** Writes a file, by its path in a folder. Returns where it is. */
function write(name: string, content: string | object): string {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const recordingOf = async (project: string) => (await sandbox.control('GET', `/projects/${project}/recording`)).text;

test('a folder: its recordings at any depth by name; other JSON, packages and hidden folders are skipped', async () => {
  const files = ['b.json', 'a.json', 'case/1/c.json', 'node_modules/x/d.json', '.git/e.json'];
  for (const name of files) write(`whole/${name}`, story);
  write('whole/report.json', '{"items":[]}');
  const { code, out, err } = await runCommand(['replay', path.join(root, 'whole')]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const shown = out.replaceAll(`${root}/`, '').replaceAll(/identical: .*/g, 'identical');
  const lines = ['a.json', 'b.json', 'case/1/c.json'].map((file) => `✓ whole/${file}: identical\n`);
  expect(shown).toBe(`${lines.join('')}\n0 of 3 recordings differ\n`);
});

test('at most 20 differences of a recording are listed, and the others are counted', async () => {
  const project = freshProject();
  for (let n = 1; n <= 23; n += 1) await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [] });
  const other = tamper(await recordingOf(project), ({ changes }) =>
    changes.map((change: Tampered) => (change['response'].status = 500)),
  );
  const { out } = await runCommand(['replay', write('many.json', other)]);
  expect(out.match(/^different: /gm)).toHaveLength(20);
  expect(out).toMatch(/\nand 3 more differences\n$/);
});

test('control characters in the file are removed', async () => {
  const odd = '\u001b[2J\r\nidentical: 1 request\u2028\u009b2J';
  const other = tamper(story, ({ changes: [job] }) => {
    job.response.body = odd;
    job.request.body = ` ${job.request.body}${odd.slice(4, 6)}`;
  });
  const { out } = await runCommand(['replay', write('odd.json', other)]);
  expect(out.split('\n')).toHaveLength(7);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/);
});

test('no secret of a request is shown', async () => {
  const project = freshProject();
  const user = { username: 'ana', type: 'driver', visibleBy: 'S-1', access: 'DRIVER', password: 'Gehe1m' };
  await sandbox.api('POST', `/projects/${project}/users?apikey=sandbox-key`, user);
  const other = tamper(await recordingOf(project), ({ changes: [one] }) => (one.response.status = 200));
  const { code, out } = await runCommand(['replay', write('secret.json', other)]);
  expect(code).toBe(1);
  expect(out).toContain('"username":"ana"');
  expect(out).not.toMatch(/Gehe1m|sandbox-key/);
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
  expect(await runReplay({ files: [write('story.json', story)] }, io, wall)).toBe(0);
  expect(io.written.out).toBe(`identical: 4 requests, 1 callback; replayed 2.0 s of project time in ${took}\n`);
});

test('a terminal shows how far it is', async () => {
  const io = createIo({}, true);
  Object.assign(io.stderr, { columns: 80 });
  await runReplay({ files: [write('story.json', story)] }, io, createTestWall());
  expect(io.written.err).toBe('\r\u001b[2K0 of 10 changes replayed\r\u001b[2K');
});
