/** While a sweep runs, one line says how far it is, also while a case waits on its failure. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../../src/cli/frame/run-cli.ts';
import { createIo } from '../../harness/cli.ts';

test('a case that waits for the client is counted in the line, and in the estimate before', async () => {
  const out = mkdtempSync(path.join(tmpdir(), 'field-sandbox-sweep-'));
  const io = createIo({}, true);
  Object.assign(io.stderr, { columns: 100 });
  const request = `-H "apikey: $SANDBOX_API_KEY" -H 'content-type: application/json' -d '{"jobs":[{"id":"ORD-1"}]}'`;
  const send = `curl -sf -m 2 -o /dev/null ${request} "$SANDBOX_URL/async/projects/p/jobs"`;
  const which = ['--operation', 'asyncImportJobs', '--kind', 'connection-hang/1,connection-hang-processed/1'];
  const code = await runCli(
    ['sweep', ...which, '--jobs', '2', '--out', out, '--', 'sh', '-c', `${send} || ${send}`],
    io,
  );
  rmSync(out, { recursive: true });
  expect(code).toBe(0);
  expect(io.written.err).toContain('2 cases of 1 operation, 2 at a time, bad ones twice: about 10 seconds\n');
  expect(io.written.err).toContain('  2 × up to 10 s: connection-hang, connection-hang-processed\n');
  expect(io.written.err).toContain('field-sandbox: 0 of 2, 0 bad, 2 waiting for the client, about 10 seconds left');
});
