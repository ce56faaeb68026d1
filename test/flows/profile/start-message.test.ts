/** The request to try in the message of the start is valid under the profile. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseOptions } from '../../../src/config/options.ts';
import { startSandbox } from '../../harness/start-sandbox.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  'required: { jobs: [id, address] }',
  'identifiers: { projectId: body }\nrequired: { jobs: [id, customer, status] }',
  'basePath: /v2',
])('%s', async (text) => {
  const profile = path.join(folder, 'profile.yaml');
  writeFileSync(profile, text);
  const parsed = parseOptions({ port: '0', log: 'off', profile }, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
  const sandbox = await startSandbox(parsed.options, { reportError: String, warn: () => undefined });
  try {
    const { method = '', url = '', headers = {}, body } = sandbox.example ?? {};
    const all = { apikey: 'sandbox-key', 'content-type': 'application/json', ...headers };
    const response = await fetch(sandbox.url + url, { method, headers: all, body: JSON.stringify(body) });
    expect(await response.json()).toMatchObject({ failed: [], jobsReceived: 2 });
    expect(response.headers.get('x-sandbox-warnings')).toBeNull();
  } finally {
    await sandbox.close();
  }
});
