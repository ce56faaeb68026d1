/** Very many warnings are counted. flows/transcripts/bodies.txt has mistakes, and names.txt strange names. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

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
