/** `field-sandbox replay` of several files and of folders: lines, differences, JUnit XML and exit codes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReplayRequest, runReplay } from '../../../src/cli/replay/command.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';
import { type Tampered, tamper, tellStory } from './story.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const root = mkdtempSync(path.join(tmpdir(), 'replays-'));
afterAll(() => rmSync(root, { recursive: true }));
let story = '';

beforeAll(async () => {
  story = await tellStory(sandbox, freshProject());
});

/** Creates a folder with these files. Returns its path. */
function folderOf(name: string, files: Readonly<Record<string, string | object>>): string {
  const folder = path.join(root, name);
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

async function replay(files: readonly string[], options: Omit<ReplayRequest, 'files'> = {}) {
  let [out, err] = ['', ''];
  const print = (text: string): void => {
    out += text;
  };
  const printError = (text: string): void => {
    err += text;
  };
  const code = await runReplay({ files, ...options }, { print, printError }, createTestWall());
  return { code, out: out.replaceAll(`${root}/`, ''), err: err.replaceAll(`${root}/`, '') };
}

const identical = 'identical: 4 requests, 1 callback; replayed 2.0 s of project time in 0 ms';
const incomplete = (): Tampered => tamper(story, (r) => Object.assign(r, { complete: false }));
const withStatus = (status: number): Tampered => tamper(story, (r) => (r['changes'][0].response.status = status));

test('a folder: its recordings at any depth by name; other JSON, packages and hidden folders are skipped', async () => {
  const folder = folderOf('whole', {
    'b.json': story,
    'a.json': story,
    'case/1/c.json': story,
    'report.json': '{"items":[]}',
    'notes.txt': 'x',
    'node_modules/x/d.json': story,
    '.git/e.json': story,
  });
  const lines = ['whole/a.json', 'whole/b.json', 'whole/case/1/c.json'].map((file) => `✓ ${file}: ${identical}\n`);
  expect(await replay([folder])).toEqual({ code: 0, out: `${lines.join('')}\n0 of 3 recordings differ\n`, err: '' });
});

test('several: a line each, then every difference, and the exit code 1', async () => {
  const folder = folderOf('several', { 'a.json': withStatus(200), 'b.json': story, 'c.json': incomplete() });
  const { code, out, err } = await replay([folder]);
  expect({ code, err }).toEqual({ code: 1, err: '' });
  expect(out).toContain(
    `✗ several/a.json: 1 difference\n✓ several/b.json: ${identical}\n– several/c.json: cannot be replayed\n\nseveral/a.json\n  different: the status\n    recorded  200\n    replayed  201\n  in request req_`,
  );
  expect(out).toContain('\n\nseveral/c.json: /complete: expected true, got false; ');
  expect(out).toMatch(/\n1 of 3 recordings differs, 1 cannot be replayed\n$/);
});

test('at most 20 differences of a recording are listed, and the others are counted', async () => {
  const project = freshProject();
  for (let n = 1; n <= 23; n += 1) await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [] });
  const { text } = await sandbox.control('GET', `/projects/${project}/recording`);
  const other = tamper(text, ({ changes }) => changes.map((change: Tampered) => (change['response'].status = 500)));
  const { out } = await replay([path.join(folderOf('lot', { 'a.json': other }), 'a.json')]);
  expect(out.match(/^different: /gm)).toHaveLength(20);
  expect(out).toMatch(/\nand 3 more differences\n$/);
});
