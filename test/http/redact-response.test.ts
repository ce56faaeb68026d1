/** What is stored of a receiver's response: no secrets, and the first 4 kB of its body. */
import { describe, expect, test } from 'vitest';
import type { ReceivedResponse } from '../../src/callbacks/response.ts';
import { createResponseRedaction } from '../../src/http/redact-response.ts';

const redact = createResponseRedaction((text) => text === 'partner-key-1');

const toReceived = (body: string, more: Partial<ReceivedResponse> = {}): ReceivedResponse => ({
  headers: {},
  body,
  size: Buffer.byteLength(body),
  isWhole: true,
  durationMs: 1,
  ...more,
});

test.each([
  ['set-cookie', 'session=1', '***'],
  ['Set-Cookie2', 'session=1', '***'],
  ['authorization', 'Bearer 1', '***'],
  ['x-auth-token', '1', '***'],
  ['x-echo', 'apikey partner-key-1', '***'],
  ['location', 'https://me:word@host/a?token=1&b=2', 'https://***@host/a?token=***&b=2'],
  ['location', 'https://host/cb#access_token=1&x=2', 'https://host/cb#access_token=***&x=2'],
  ['location', 'https://host/cb;token=1?x=2', 'https://host/cb;token=***?x=2'],
  ['location', 'https://host/partner-key-1/x', 'https://host/***/x'],
  ['content-type', 'text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['www-authenticate', 'Bearer realm="hooks"', 'Bearer realm="hooks"'],
  ['retry-after', '17', '17'],
])('the header %s: %s is stored as %s', (name, value, stored) => {
  expect(redact(toReceived('', { headers: { [name]: value } })).headers).toEqual({ [name]: stored });
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
  ['a page', '<h1>Password required</h1>', '<h1>Password required</h1>'],
])('the body of %s', (_, body, stored) => {
  expect(redact(toReceived(body))).toEqual({ headers: {}, body: stored, durationMs: 1 });
});

test('many secrets in a text take linear time', () => {
  const text = 'token:\n'.repeat(9000);
  expect(redact(toReceived(text)).body.startsWith('token:***\ntoken:***\n')).toBe(true);
});

describe('a long body', () => {
  test('keeps its first 4 kB, and its size', () => {
    expect(redact(toReceived('a'.repeat(4096)))).not.toHaveProperty('bodyCut');
    expect(redact(toReceived('a'.repeat(4097)))).toMatchObject({ body: 'a'.repeat(4096), bodyCut: 4097 });
  });

  test('is not cut in the midst of a character', () => {
    expect(redact(toReceived(`a${'ö'.repeat(3000)}`))).toMatchObject({ body: `a${'ö'.repeat(2047)}`, bodyCut: 6001 });
  });

  test('has no secret that the cut makes unreadable', () => {
    const body = JSON.stringify({ password: 'x'.repeat(5000), id: 7 });
    expect(redact(toReceived(body))).toMatchObject({ body: '{"password":"***","id":7}' });
  });
});

test('a body that was not read to its end shows the size, though all that came is stored', () => {
  expect(redact(toReceived('start', { isWhole: false, size: 100 }))).toMatchObject({ body: 'start', bodyCut: 100 });
});
