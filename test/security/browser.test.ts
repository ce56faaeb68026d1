/** What a page in the developer's browser sees of a response. flows/transcripts/browsers.txt has more. */
import { expect, test } from 'vitest';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

test.each([
  ['GET', '/health', 200],
  ['GET', '/events?project=', 400],
  ['GET', '/metrics', 200],
  ['GET', '/nowhere', 404],
  ['POST', '/projects/p/reset', 200],
] as const)('no response can be used as a script or embedded elsewhere: %s %s', async (method, path, status) => {
  const answer = await sandbox.control(method, path);
  expect(answer.status).toBe(status);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(answer.headers['content-type']).not.toContain('html');
});
