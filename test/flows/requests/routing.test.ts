/** Requests that never reach an operation, and the order of their checks. flows/transcripts/refusals.txt has the messages. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { type Answer, expectRefused, projectWithRecords, send } from '../refusals.ts';

const sandbox = useSandbox({ apiKeys: ['sandbox-key', 'one=p-one', 'SECRET-KEY'] });
let project: string;
beforeAll(async () => {
  project = await projectWithRecords(sandbox);
});

const refused = (status: number, ask: () => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>) =>
  expectRefused(sandbox, project, status, ask);

describe('an unknown path', () => {
  test('that is long is truncated in the message', async () => {
    const answer = await refused(404, () => sandbox.api('POST', `/${'x'.repeat(5000)}`, { jobs: [] }));
    expect(answer.body.message).toContain('no operation has the path "/xxx');
    expect(answer.body.message.length).toBeLessThan(400);
  });

  test.each([
    ['%', 'two hexadecimal digits after each "%"'],
    ['%zz', 'two hexadecimal digits after each "%"'],
    ['%E0%A4%A', 'two hexadecimal digits after each "%"'],
    ['%ff', 'percent-encoded UTF-8'],
    ['%E0%A4', 'percent-encoded UTF-8'],
  ])("that can't be decoded: %s", async (bad, expected) => {
    const wire = { method: 'POST', path: `/async/projects/${bad}/jobs`, body: '{"jobs":[]}' };
    const answer = await refused(400, () => send(sandbox, wire));
    expect(answer.body.message).toContain(`the path can't be decoded: expected ${expected}`);
  });
});

test('a header with a valid key twice', async () => {
  const apikey = 'SECRET-KEY, SECRET-KEY';
  const answer = await refused(401, () =>
    sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [] }, { apikey }),
  );
  expect(answer.body.message).toBe('the header has a valid key twice; send it once');
});

describe('the order of checks', () => {
  const large = Buffer.alloc(17 * 1024 ** 2, ' ');
  const text = { 'content-type': 'text/plain' };
  const json = { 'content-type': 'application/json' };
  const keyed = { apikey: 'sandbox-key' };
  const scenario = { 'x-sandbox-scenario': 'no-such-scenario' };

  test.each<[string, number, string, string, Record<string, string>, string | Buffer]>([
    ['the path, before the key', 404, 'POST', '/nowhere', text, large],
    ['the method, before the key', 405, 'PUT', '/async/projects/$/jobs', text, large],
    ['the key, before the size', 401, 'POST', '/async/projects/$/jobs', text, large],
    ['the key, before the scenario', 401, 'POST', '/async/projects/$/jobs', { ...json, ...scenario }, '{"jobs":[]}'],
    ['the grant, before the size', 403, 'POST', '/async/projects/$/jobs', { ...text, apikey: 'one' }, large],
    ['the size, before the type', 413, 'POST', '/async/projects/$/jobs', { ...text, ...keyed }, large],
    ['the type, before the text', 415, 'POST', '/async/projects/$/jobs', { ...text, ...keyed }, '{'],
    ['the text, before the scenario', 400, 'POST', '/async/projects/$/jobs', { ...json, ...keyed, ...scenario }, '{'],
    ['the shape, before the scenario', 400, 'POST', '/async/projects/$/jobs', { ...json, ...keyed, ...scenario }, '{}'],
  ])('%s', async (_what, status, method, path, headers, body) => {
    const wire = { method, path: path.replace('$', project), headers, body };
    const answer = await refused(status, () => send(sandbox, wire));
    expect(answer.body.message).not.toContain('no-such-scenario');
  });

  test("checks the scenario's name last", async () => {
    const path = `/async/projects/${project}/jobs`;
    const answer = await refused(400, () => sandbox.api('POST', path, { jobs: [] }, scenario));
    expect(answer.body.errors?.[0]?.path).toBe('header:x-sandbox-scenario');
    expect(answer.body.message).toContain('"no-such-scenario"');
  });
});
