/** Secrets that the sandbox does not record: keys in requests, and all secrets in the responses of receivers. */
import { describe, expect, test } from 'vitest';
import { failLater, frozenProject, onlyCallback } from '../flows/callbacks/steps.ts';
import { send } from '../flows/refusals.ts';
import { useReceiver } from '../harness/receiver.ts';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox({ apiKeys: ['sandbox-key', 'partner-key-1', 'other-key-2@au'] });
const receiver = useReceiver();

/** Sends a request. Returns it as it is recorded. */
async function record(path: string, more: Readonly<Record<string, string>> = {}) {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json', ...more };
  const answer = await send(sandbox, { method: 'POST', path, headers, body: '{"jobs":[]}' });
  const { body } = await sandbox.control('GET', `/requests/${answer.headers['x-request-id']}`);
  return body.request as { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

const jobs = '/async/projects/p/jobs';

test.each([
  [`${jobs}?x=1&y`, `${jobs}?x=1&y`],
  [`${jobs}?apikey=anything&x=1`, `${jobs}?apikey=***&x=1`],
  [`${jobs}?x=partner-key-1&y=2`, `${jobs}?x=***&y=2`],
  [`${jobs}?x=partner%2Dkey%2D1`, `${jobs}?x=***`],
  [`${jobs}?x=%zz&y=other-key-2`, `${jobs}?x=%zz&y=***`],
  [`${jobs}?partner-key-1`, `${jobs}?***`],
  [`${jobs}?x=1;partner-key-1;token=2;y=3&z`, `${jobs}?x=1;***;token=***&z`],
  [`${jobs}?a?token=1&&=2&token=3?4#b?token=5&token`, `${jobs}?a?token=***&&=2&token=***#b?token=***&token`],
  // A replay needs the ids in the path of an operation.
  ['/async/projects/partner-key-1/jobs', '/async/projects/partner-key-1/jobs'],
  ['/nowhere/orders;apikey=any?x=1', '/nowhere/orders;apikey=***?x=1'],
  ['/nowhere/orders;x=partner-key-1;y/z', '/nowhere/orders;x=***;y/z'],
  ['/nowhere;partner-key-1/orders?partner-key-1', '/nowhere;***/orders?***'],
  ['/nowhere/partner%2Dkey%2D1/orders', '/nowhere/***/orders'],
])('%s is recorded as %s', async (url, recorded) => {
  expect((await record(url)).url).toBe(recorded);
});

test.each([
  ['x-foo', 'partner-key-1'],
  ['x-foo', 'Bearer partner-key-1'],
  ['x-foo', 'key=other-key-2; v=1'],
  ['cookie', 'theme=dark'],
  ['authorization', 'Bearer anything'],
])('the request header %s: %s is recorded as ***', async (name, value) => {
  const { headers } = await record(jobs, { [name]: value, 'x-other': 'plain words' });
  expect(headers).toMatchObject({ [name]: '***', 'x-other': 'plain words', apikey: '***' });
});

describe('in the response of a receiver', () => {
  async function receive(headers: Record<string, string>, body: string | Buffer = '') {
    const project = await frozenProject(sandbox, receiver.url());
    receiver.answer({ status: 500, headers, body: Buffer.isBuffer(body) ? body : Buffer.from(body) });
    await failLater(sandbox, project);
    await sandbox.advance(project, '1s');
    const response = (await onlyCallback(sandbox, project)).attempts[0]?.response;
    if (!response) throw new Error('the attempt has no response');
    return response;
  }

  test.each([
    ['set-cookie', 'session=1', '***'],
    ['set-cookie2', 'session=1', '***'],
    ['authorization', 'Bearer 1', '***'],
    ['x-auth-token', '1', '***'],
    ['x-echo', 'apikey partner-key-1', '***'],
    ['location', 'https://me:word@host/a?token=1&b=2', 'https://***@host/a?token=***&b=2'],
    ['location', 'https://host/cb#access_token=1&x=2', 'https://host/cb#access_token=***&x=2'],
    ['location', 'https://host/partner-key-1/x', 'https://host/***/x'],
    ['www-authenticate', 'Bearer realm="hooks"', 'Bearer realm="hooks"'],
    ['retry-after', '17', '17'],
  ])('the header %s: %s is stored as %s', async (name, value, stored) => {
    expect((await receive({ [name]: value })).headers).toMatchObject({ [name]: stored });
  });

  test.each([
    ['an error', '{"error":"invalid token: expired"}', '{"error":"invalid token: expired"}'],
    ['JSON with a secret', '{ "a": [{ "password": "x" }], "b": 1 }', '{"a":[{"password":"***"}],"b":1}'],
    ['JSON with an escaped name', '{"p\\u0061ssword":"x"}', '{"password":"***"}'],
    ['JSON that is cut off', '{"id":1,"password":"x","b', '{"id":1,"password":***'],
    [
      'what may be an escaped name',
      '{"p\\u0061ssword":"x',
      '(omitted: the body is not valid JSON and may contain a password)',
    ],
    ['text', 'Bad request\nToken: abc def\nid: 7, api-key = 1', 'Bad request\nToken:***\nid: 7, api-key =***'],
    ['XML', '<id>7</id>\n<password>x</password>\n', '<id>7</id>\n<password>***\n'],
    ['a page', '<h1>Password required</h1>', '<h1>Password required</h1>'],
    ['many secrets', 'token:\n'.repeat(3000), 'token:***\n'.repeat(3000).slice(0, 4096)],
    ['a secret longer than what is kept', `{"password":"${'x'.repeat(5000)}","id":7}`, '{"password":"***","id":7}'],
  ])('the body of %s', async (_what, body, stored) => {
    expect((await receive({}, body)).body).toBe(stored);
  });

  test.each([
    ['text/html; charset=ISO-8859-1', Buffer.from('für', 'latin1'), 'für'],
    ['text/html; charset=klingon', Buffer.from('für'), 'für'],
    ['image/png', Buffer.from([0x89, 0x50, 0x00, 0xff]), '\ufffdP\u0000\ufffd'],
  ])('a body of the type %s is decoded', async (type, bytes, text) => {
    expect(await receive({ 'content-type': type }, bytes)).toMatchObject({ body: text });
  });

  test('a long body keeps its first 4 kB, whole characters only, and its size', async () => {
    expect(await receive({}, 'a'.repeat(4096))).not.toHaveProperty('bodyCut');
    expect(await receive({}, 'a'.repeat(4097))).toMatchObject({ body: 'a'.repeat(4096), bodyCut: 4097 });
    expect(await receive({}, `a${'ö'.repeat(3000)}`)).toMatchObject({ body: `a${'ö'.repeat(2047)}`, bodyCut: 6001 });
  });
});
