/** `limits.journal` of a profile does not hold for `run`, whose recordings are complete. */
import { expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { startOne } from '../../harness/start-sandbox.ts';

test('run keeps all requests, so that recordings are complete', async () => {
  const sandbox = await startOne({ profile: writeProfile({ limits: { journal: 2 } }) }, { keepsAllRequests: true });
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  for (let count = 0; count < 3; count += 1) {
    await fetch(`${sandbox.url}/sync/projects/p/orders`, { method: 'POST', headers, body: '{"orders":[]}' });
  }
  expect(sandbox.journal.size('p')).toBe(3);
});
