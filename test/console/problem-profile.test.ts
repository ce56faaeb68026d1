/** The problems of a request are the same, whatever body of errors the profile has. */
import { beforeAll, expect, test } from 'vitest';
import { findIn } from '../../src/console/screens/quality/problems/find.ts';
import type { components } from '../../src/openapi/control.gen.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { writeProfile } from '../harness/profile.ts';
import { useSandbox } from '../harness/sandbox.ts';

const bodies = { error: { error: { text: '{message}', fields: [{ name: '{error.path}' }] } } };
const shipped = useSandbox();
const changed = useSandbox({ profile: writeProfile({ bodies }) }, { ...shippedProfile, bodies });

type Request = components['schemas']['RequestSummary'];
type Problem = Parameters<typeof findIn>[0];

async function problemsOf(sandbox: typeof shipped): Promise<readonly unknown[]> {
  const job = { id: 'J-1', status: 'PENDING', address: {}, isPriority: 'yes' };
  const key = { apikey: undefined };
  await sandbox.api('POST', '/sync/projects/same/jobs', job);
  await sandbox.api('POST', '/sync/projects/same/jobs', '{"id":');
  await sandbox.api('POST', '/sync/projects/same/jobs', job, key);
  await sandbox.api('PATCH', '/projects/same/users/nobody', { firstName: 'Jo' });
  const requests = (await sandbox.items('same', 'requests')) as unknown as readonly Request[];
  const { body } = await sandbox.control('GET', '/projects/same/requests?view=problems');
  const findings = (body.items as Problem[]).flatMap(findIn).map(({ at: _, requestId: __, ...finding }) => finding);
  const explained = requests.map(({ id }) => sandbox.control('GET', `/projects/same/requests/${id}`));
  const errors = (await Promise.all(explained)).map(({ body: one }) => one.explanation.errors);
  return [findings, errors];
}

let expected: readonly unknown[];
let found: readonly unknown[];

beforeAll(async () => {
  expected = await problemsOf(shipped);
  found = await problemsOf(changed);
});

test('problems do not depend on the body of errors', () => {
  expect(found).toEqual(expected);
  expect(JSON.stringify(found)).toContain('expected a boolean');
});

test('the journal has the problem only beside a body without it', async () => {
  const [first] = (await changed.items('same', 'requests')) as unknown as readonly Request[];
  const message = '/isPriority: expected a boolean, got "yes"';
  const errors = [{ path: '/isPriority', message: 'expected a boolean, got "yes"' }];
  expect(first?.response.problem).toEqual({ message, errors });
  const [other] = (await shipped.items('same', 'requests')) as unknown as readonly Request[];
  expect(other?.response).not.toHaveProperty('problem');
});
