/** Coverage of `field-sandbox run`, and the command `coverage` within a run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();

test('--coverage writes the coverage of all projects, including reset ones', async () => {
  const file = path.join(program.folder, 'met.md');
  const text =
    "await jobs(1, 'a'); await control('POST', '/projects/a/reset'); await send('POST', '/async/projects/b/jobs', {})";
  const { code, out } = await program.run(['run', '--coverage', file, '--', ...script(text)]);
  expect(code).toBe(0);
  expect(out).toContain('\ncoverage 0.2 %: 1 of 29 operations, 1 of 767 failures, 0 of 60 callback conditions\n');
  expect(readFileSync(file, 'utf8')).toContain('| ✅ | asyncImportJobs | 2 | 1 | 1 of 26 |');
});

test('--min-coverage fails below the minimum; without the options there is no coverage line', async () => {
  const failed = await program.run(['run', '--min-coverage', '0.2', '--', ...script('await jobs(1)')]);
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(/\nfailed: coverage 0\.1 % is below the minimum of 0\.2 % \(/);
  expect((await program.run(['run', '--min-coverage', '0.1', '--', ...script('await jobs(1)')])).code).toBe(0);
  expect((await program.run(['run', '--', ...script('await jobs(1)')])).out).not.toContain('coverage');
});

test('invalid options are reported before the command runs, and an older report is deleted', async () => {
  const file = path.join(program.folder, 'old.md');
  writeFileSync(file, '# API coverage\n');
  const { code, out, err } = await program.run([
    ...['run', '--coverage', file, '--min-coverage', 'most', '--port', 'x', '--', 'echo', 'ran'],
  ]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^--port: [^\n]*\n--min-coverage: expected a percentage from 0 to 100, got "most"\n$/);
  expect(existsSync(file)).toBe(false);
});

test('`coverage` within a run uses the sandbox of that run', async () => {
  const main = path.join(program.folder, 'dist/main.js');
  const asked = [process.execPath, main, 'coverage', '--operation', 'submitLocation', '--min', '50'];
  const { code, out, err } = await program.run(['run', '--', ...asked]);
  expect(code).toBe(1);
  expect(out).toMatch(/^coverage 0 %: 0 of 28\n/);
  expect(err).toContain('coverage: expected at least 50 %, got 0 %\n');
});
