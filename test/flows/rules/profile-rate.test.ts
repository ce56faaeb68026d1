/** `limits.journal` of a profile does not hold for `run`, whose recordings are complete. */
import { expect, test } from 'vitest';
import { parseOptions } from '../../../src/config/options.ts';
import { writeProfile } from '../../harness/profile.ts';
import { startSandbox } from '../../harness/start-sandbox.ts';

test('run keeps all requests, so that recordings are complete', async () => {
  const parsed = parseOptions({ port: '0', log: 'off', profile: writeProfile({ limits: { journal: 2 } }) }, {});
  if (!('options' in parsed)) throw new Error('no options');
  const notices = { reportError: () => undefined, warn: () => undefined, keepsAllRequests: true };
  const sandbox = await startSandbox(parsed.options, notices);
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  for (let count = 0; count < 3; count += 1) {
    await fetch(`${sandbox.url}/sync/projects/p/orders`, { method: 'POST', headers, body: '{"orders":[]}' });
  }
  expect(sandbox.journal.size('p')).toBe(3);
  await sandbox.close();
});
