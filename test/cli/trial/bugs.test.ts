/** A bug of the sandbox is printed, so that nobody looks for it in the command. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { builtProgram } from '../../harness/build.ts';
import { startProcess } from '../../rig/process.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const client = `curl -sf -o /dev/null -H "apikey: $SANDBOX_API_KEY" -H 'content-type: application/json' \
  -d '{"id":"BROKEN-1","status":"PENDING","address":{"streetAddress":"1 Main St"}}' "$SANDBOX_URL/sync/projects/p/jobs"`;

test.each([
  ['sweep', [], 'without any failure, the first run of the command ended with 22'],
  ['shrink', ['--scenario', 'outage'], 'without the scenario, the command fails too: it ended with 22'],
])('%s prints it also if the command fails without a failure', async (name, options, failure) => {
  const main = path.join(await builtProgram(), 'main.js');
  const variables = { NODE_OPTIONS: `--require ${path.resolve('test/cli/broken.cjs')}` };
  const argv = [process.execPath, main, name, ...options, '--', 'sh', '-c', client];
  const { code, err } = await startProcess(argv, { variables, cwd: folder }).ended;
  expect(err).toMatch(/^bug in the sandbox, not in your code: \S+: a broken map$/m);
  expect(err).toContain(failure);
  expect(code).toBe(2);
});
