/** README.md is short, and `run` accepts its scenario. test/docs/ plays its other commands. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readBlocks } from './docs/page.ts';
import { builtProgram } from './harness/build.ts';
import { environment, useBuiltProgram } from './harness/program.ts';

const readme = readFileSync('README.md', 'utf8');
const blocks = readBlocks('README.md');
const { folder } = useBuiltProgram();

test('it has at most 150 lines', () => {
  expect(readme.split('\n').length - 1).toBeLessThanOrEqual(150);
});

test.each(['Partner developer', 'CI pipeline', 'QA engineer'])('the section "%s" has at most 15 lines', (title) => {
  const [, section = ''] = readme.split(`## ${title}\n`);
  const lines = section
    .replace(/<!--.*-->\n\n/g, '')
    .split(/\n+## /)[0]
    ?.trim()
    .split('\n');
  expect(lines?.length).toBeLessThanOrEqual(15);
});

test('its command runs `npm test` under its scenario, and reports the rule', async () => {
  const scenario = blocks.find(({ file }) => file === 'third-job-fails.yaml');
  const command = blocks.find(({ text }) => text.startsWith('npx field-sandbox run '));
  writeFileSync(path.join(folder, 'third-job-fails.yaml'), scenario?.text ?? '');
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ scripts: { test: 'node import-three-jobs.mjs' } }));
  writeFileSync(
    path.join(folder, 'import-three-jobs.mjs'),
    `await fetch(process.env.SANDBOX_URL + '/async/projects/readme/jobs', {
      method: 'POST',
      headers: { apikey: process.env.SANDBOX_API_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ jobs: [{ id: 'A' }, { id: 'B' }, { id: 'C' }] }),
    });`,
  );
  const here = `'${process.execPath}' '${path.join(await builtProgram(), 'main.js')}'`;
  const { stdout } = await promisify(execFile)('bash', ['-c', command?.text.replace('npx field-sandbox', here) ?? ''], {
    cwd: folder,
    env: environment({}),
  });
  expect(stdout).toMatch(/^third-job-fails\n.*rule 1: fired once\n/m);
  expect(readFileSync(path.join(folder, 'report.xml'), 'utf8')).toContain('third-job-fails');
});
