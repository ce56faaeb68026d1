import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCheck } from '../../src/cli/check.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function check(...files: string[]): Promise<{ code: number; printed: string }> {
  let printed = '';
  const code = await runCheck(files, (text) => {
    printed += text;
  });
  return { code, printed };
}

test('all shipped scenarios and the shipped profile are valid', async () => {
  const shipped = readdirSync('scenarios').map((name) => path.join('scenarios', name));
  const files = [...shipped, 'spec/profile.yaml'];
  expect(await check(...files)).toEqual({ code: 0, printed: files.map((file) => `${file}: valid\n`).join('') });
});

test('recognizes a profile that moves paths, and a scenario in JSON', async () => {
  const profile = write(
    'profile.moved.yaml',
    'operations:\n  syncCreateJob:\n    { path: "/v2/jobs?project={projectId}" }\n',
  );
  const scenario = write('scenario.json', '{ "name": "a", "rules": [{ "then": { "fail": "no" } }] }');
  expect(await check(profile, scenario)).toMatchObject({ code: 0 });
});

test('an overlay that a profile lists twice is a mistake', async () => {
  write('good.overlay.yaml', 'overlay: 1.0.0\nactions:\n  - { target: $.info, update: { title: Mine } }\n');
  const profile = write('twice.profile.yaml', 'overlays: [good.overlay.yaml, good.overlay.yaml]\n');
  const { code, printed } = await check(profile);
  expect(code).toBe(1);
  expect(printed).toContain(`${profile}:1:31  the overlay good.overlay.yaml is listed twice`);
});

test.each([
  ['a scenario by its keys', 'profile-of-load.yaml', 'rulez: []\n', 'missing key name'],
  ['a scenario that is a fragment', 'x.yaml', 'rules:\n  - then: { refuze: No }\n', 'did you mean refuse?'],
  ['a scenario in JSON', 'x.json', '{ "expect": [], "rules": [] }', 'missing key name'],
  ['a profile by its keys', 'x.yaml', 'callback: { timeout: 5s }\n', 'did you mean callbacks?'],
  ['a profile in JSON', 'x.json', '{ "limits": { "depht": 3 } }', 'did you mean depth?'],
  ['a profile with the value "name"', 'x.yaml', 'duplicates: name\n', 'expected one of reject or replace'],
  ['a profile by its file name, without known keys', 'my-profile.yaml', 'colour: red\n', 'basePath'],
  [
    'a scenario by its file name, without any key',
    'my-scenario.yaml',
    'red\n',
    'expected a mapping with name and rules',
  ],
])('recognizes %s', async (_, name, text, said) => {
  const { code, printed } = await check(write(name, text));
  expect(code).toBe(1);
  expect(printed).toContain(said);
});

test('a file that is not UTF-8, and a folder, are reported', async () => {
  const file = path.join(folder, 'bytes.yaml');
  writeFileSync(file, Buffer.from([0xff, 0xfe, 0x6e, 0x00, 0x0a, 0x00]));
  expect(await check(file)).toMatchObject({ code: 1, printed: expect.stringContaining('expected UTF-8 text') });
  expect(await check(folder)).toEqual({
    code: 1,
    printed: `${folder}: is a folder; pass the files in it, such as ${folder}/*.yaml\n1 mistake\n`,
  });
});

test.each([
  ['scenario', 'name: many\nrules:\n', (n: number) => `  - then: { refuze: ${n} }\n`],
  ['profile', 'callbacks:\n  timeot: 5s\nerrors:\n', (n: number) => `  invalid${n}: 400\n`],
])('reports the first hundred mistakes of a %s, and that there are more', async (name, head, line) => {
  const few = write(`few-${name}.yaml`, head + Array.from({ length: 30 }, (_, n) => line(n)).join(''));
  const many = write(`many-${name}.yaml`, head + Array.from({ length: 150 }, (_, n) => line(n)).join(''));
  expect((await check(few)).printed).toMatch(/\n\d+ mistakes\n$/);
  const { code, printed } = await check(many);
  expect(code).toBe(1);
  expect(printed.split('\n').filter((text) => text.startsWith(`${many}:`))).toHaveLength(100);
  expect(printed).toContain('there are more mistakes; fix these to see them\n');
  expect(printed).toMatch(/\n100 mistakes or more\n$/);
});
