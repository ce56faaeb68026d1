/** The folder of recordings: its file names, and which older files are deleted. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RecordedLife } from '../../../src/cli/recordings/collect.ts';
import { prepareFolder, writeRecordings } from '../../../src/cli/recordings/folder.ts';

const root = mkdtempSync(path.join(tmpdir(), 'recordings-'));
afterAll(() => rmSync(root, { recursive: true }));

const lifeOf = (project: string, life = 1) =>
  ({ project, life, recording: { recording: 1, project, changes: [] } }) as unknown as RecordedLife;

test('files are named as those of --data, with the number of later lives', async () => {
  const folder = path.join(root, 'a', 'b');
  expect(await prepareFolder(folder)).toEqual([]);
  const lives = [lifeOf('qa', 2), lifeOf('A/b.2'), lifeOf('qa', 10), lifeOf('qa')];
  const { files, problems } = await writeRecordings(folder, lives);
  expect(problems).toEqual([]);
  const names = ['%41%2Fb%2E2.json', 'qa.json', 'qa.2.json', 'qa.10.json'];
  expect(files).toEqual(names.map((name) => path.join(folder, name)));
  expect(JSON.parse(readFileSync(path.join(folder, 'qa.2.json'), 'utf8'))).toMatchObject({ project: 'qa' });
});

test('only recordings with the name of a run are deleted', async () => {
  const folder = path.join(root, 'old');
  await prepareFolder(folder);
  const odd = lifeOf(`"\\ü${'x'.repeat(300)}`);
  await writeRecordings(folder, [lifeOf('qa'), lifeOf('qa', 2), lifeOf('A b'), odd]);
  const others = {
    'recording-qa.json': '{"recording":1,"project":"qa","complete":true}',
    'qa.03.json': '{"recording":1,"project":"qa"}',
    'other.json': '{"project":"other"}',
    'empty.json': '',
    'notes.txt': '{"recording":1,"project":"notes.txt",}',
  };
  for (const [name, text] of Object.entries(others)) writeFileSync(path.join(folder, name), text);
  mkdirSync(path.join(folder, 'sub.json'));
  expect(await prepareFolder(folder)).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual([...Object.keys(others), 'sub.json'].sort());
});

test('what is no folder is reported', async () => {
  const file = path.join(root, 'file');
  writeFileSync(file, '');
  expect(await prepareFolder('')).toEqual(['expected a folder, got an empty value']);
  expect(await prepareFolder(file)).toEqual([`${file} is a file; expected a folder`]);
  expect(await prepareFolder(path.join(file, 'sub'))).toEqual([
    `${path.join(file, 'sub')} is a file; expected a folder`,
  ]);
});

test('a file that cannot be written is reported, and the others are written', async () => {
  const folder = path.join(root, 'blocked');
  await prepareFolder(folder);
  mkdirSync(path.join(folder, 'a.json'));
  const { files, problems } = await writeRecordings(folder, [lifeOf('a'), lifeOf('b')]);
  expect(files).toEqual([path.join(folder, 'b.json')]);
  expect(problems).toEqual([`${path.join(folder, 'a.json')} cannot be written (EISDIR)`]);
});
