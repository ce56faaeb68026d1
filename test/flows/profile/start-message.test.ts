/** The request to try in the message of the start is valid under the profile. */
import { expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { startWith } from '../data-steps.ts';

test.each([
  'required: { jobs: [id, address] }',
  'identifiers: { projectId: body }\nrequired: { jobs: [id, customer, status] }',
  'basePath: /v2',
])('%s', async (text) => {
  const { sandbox, close } = await startWith({ profile: writeProfile(text) });
  const { method = '', url = '', headers = {}, body } = sandbox.example ?? {};
  const all = { apikey: 'sandbox-key', 'content-type': 'application/json', ...headers };
  const response = await fetch(sandbox.url + url, { method, headers: all, body: JSON.stringify(body) });
  expect(await response.json()).toMatchObject({ failed: [], jobsReceived: 2 });
  expect(response.headers.get('x-sandbox-warnings')).toBeNull();
  await close();
});
