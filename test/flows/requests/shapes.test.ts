/** Strange names are taken as they are, and very many warnings counted. flows/transcripts/bodies.txt has mistakes. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
describe('names that are special in JavaScript or URLs', () => {
  const names = ['__proto__', 'constructor', 'toString', 'a/b', '../..', `"it's"`, '📦', '%2F', ' ', '#?&', '\u0000\n'];

  test.each(names)('accepts the id %j', async (id) => {
    const own = freshProject();
    await sandbox.freeze(own);
    const path = `/async/projects/${own}/jobs/${encodeURIComponent(id)}`;
    expect(
      (await sandbox.api('POST', `/async/projects/${own}/jobs`, { jobs: [{ id, tags: ['x'] }] })).body,
    ).toMatchObject({ jobsReceived: 1, failed: [] });
    expect((await sandbox.api('PATCH', path, { id, status: 'DISPATCH' })).status).toBe(202);
    await sandbox.advance(own);
    const { body } = await sandbox.control('GET', `/projects/${own}/jobs/${encodeURIComponent(id)}`);
    expect(body).toMatchObject({ id, tags: ['x'], status: 'DISPATCH' });
    expect(await sandbox.items(own, 'callbacks')).toEqual([]);
  });

  test.each(names)('accepts the project %j', async (own) => {
    const at = encodeURIComponent(own);
    const answer = await sandbox.api('POST', `/sync/projects/${at}/orders`, { orders: [{ id: 'O-1' }] });
    expect(answer).toMatchObject({ status: 200, body: { ordersReceived: 1 } });
    const { body } = await sandbox.control('GET', `/projects/${at}`);
    expect(body).toMatchObject({ id: own, counts: { orders: 1, requests: 1 } });
    await sandbox.control('POST', `/projects/${at}/reset`);
    expect((await sandbox.control('GET', `/projects/${at}`)).body.counts.orders).toBe(0);
  });

  test.each(names)('stores %j as a free-form field, and drops it as an unknown one', async (name) => {
    const own = freshProject();
    const field = `{${JSON.stringify(name)}:{"polluted":true}}`;
    const job = `{"id":"J-1","attributes":${field},${field.slice(1, -1)}}`;
    const answer = await sandbox.api('POST', `/sync/projects/${own}/jobs/batch`, `{"jobs":[${job}]}`);
    expect(answer.body).toMatchObject({ jobsReceived: 1, failed: [] });
    expect(answer.headers['x-sandbox-warnings']).toBe('1');
    const { text } = await sandbox.control('GET', `/projects/${own}/jobs/J-1`);
    expect(text).toContain(`"attributes":${field}`);
    expect(text.split('polluted')).toHaveLength(2);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

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
