/** Reports that are written to the summary of a step of GitHub Actions, which has those of earlier commands. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../harness/cli.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'step-summary-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const sweep = { baseline: { requests: 0, durationMs: 1, operations: {} }, cases: [], summary: {}, notTried: 0 };
const sweepFile = write('sweep.json', JSON.stringify(sweep));
const request = { method: 'GET', url: 'https://api.example/logo.png' };
const archive = write('traffic.har', JSON.stringify({ log: { entries: [{ request, response: { status: 200 } }] } }));
const client = write(
  'client.sh',
  'curl -s -o /dev/null -H "apikey: $SANDBOX_API_KEY" -H "content-type: application/json" -d \'{"jobs":[{"id":"A"}]}\' "$SANDBOX_URL/async/projects/p/jobs"\n',
);
const cases = ['--operation', 'asyncImportJobs', '--kind', 'status-500', '--jobs', '1', '--out', folder];

test.each([
  ['# API coverage', ['coverage', '--sweep', sweepFile, '--operation', 'submitLocation', '--markdown']],
  ['# API coverage', ['run', '--coverage', 'FILE', '--', 'true']],
  ['# Calibration', ['calibrate', archive, '--markdown']],
  ['# Sweep', ['sweep', ...cases, '--markdown', 'FILE', '--', 'sh', client]],
])('%s is appended by %j', async (beginning, words) => {
  const older = `${beginning}\n\nof an earlier command\n`;
  const file = write('summary.md', older);
  const args = words.includes('FILE') ? words.map((word) => (word === 'FILE' ? file : word)) : [...words, file];
  // The path need not be written in the same way.
  const { err } = await runCommand(args, { GITHUB_STEP_SUMMARY: `${folder}/./summary.md` });
  const text = readFileSync(file, 'utf8');
  expect(text.startsWith(`${older}\n${beginning}\n`), err).toBe(true);
  await runCommand(args);
  const replaced = readFileSync(file, 'utf8');
  expect(replaced.startsWith(`${beginning}\n`), replaced).toBe(true);
  expect(replaced).not.toContain('of an earlier command');
});
