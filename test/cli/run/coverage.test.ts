/** Coverage of `field-sandbox run`, and the command `coverage` within a run. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../../harness/cli.ts';
import { script } from './script.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('--coverage writes the coverage of all projects, including reset ones', async () => {
  const file = path.join(folder, 'met.md');
  const text =
    "await jobs(1, 'a'); await control('POST', '/projects/a/reset'); await send('POST', '/async/projects/b/jobs', {})";
  const { code, out } = await runCommand(['run', '--coverage', file, '--', ...script(text)]);
  expect(code).toBe(0);
  expect(out).toContain('\ncoverage 0.2 %: 1 of 29 operations, 1 of 767 failures, 0 of 60 callback conditions\n');
  expect(readFileSync(file, 'utf8')).toContain('| ✅ | asyncImportJobs | 2 | 1 | 1 of 26 |');
});
