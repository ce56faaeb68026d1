/** Very many warnings are counted, and a low limit of the depth holds for valid bodies. flows/transcripts/bodies.txt has mistakes, and names.txt strange names. */
import { expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const flat = useSandbox({ profile: writeProfile({ limits: { depth: 3 } }) });

test('counts 15,000 unknown fields, and rejects more than 20,000 different names', async () => {
  const project = freshProject();
  const create = (count: number) => {
    const unknown = Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, i]));
    return sandbox.api('POST', `/sync/projects/${project}/jobs`, {
      id: 'J',
      status: 'PENDING',
      address: {},
      ...unknown,
    });
  };
  const answer = await create(15_000);
  expect(answer.status).toBe(201);
  expect(answer.headers['x-sandbox-warnings']).toBe('15000');
  const { body } = await sandbox.control('GET', `/projects/${project}/requests/${answer.headers['x-request-id']}`);
  expect(body.warnings).toHaveLength(101);
  expect(body.warnings.at(-1)).toBe('and 14,900 more');
  expect((await create(21_000)).status).toBe(413);
});

test.each(['', '?x=1'])(
  'a limit below the depth of the API holds for a valid body, also with the query %j',
  async (query) => {
    const path = `/async/projects/${freshProject()}/jobs${query}`;
    expect((await flat.api('POST', path, { jobs: [{ id: 'J-1' }] })).status).toBe(202);
    const { status, body } = await flat.api('POST', path, { jobs: [{ id: 'J-2', address: { locality: 'Brisbane' } }] });
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'the body must have at most 3 levels of nested objects and lists, got more',
    });
  },
);
