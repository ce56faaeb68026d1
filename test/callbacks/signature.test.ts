import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { defaultSecret, parseSecret, signMessage } from '../../src/callbacks/signature.ts';

const body = '{"type":"jobs.import.failed","data":{"failed":[{"id":"größe ✓"}]}}';

function toSecret(bytes: number): string {
  return `whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`;
}

test.each([24, 25, 32, 64])('a receiver verifies a signature with a secret of %i bytes', async (bytes) => {
  const secret = toSecret(bytes);
  expect(parseSecret(secret)).toEqual({ ok: true, secret });
  const headers = await signMessage({ secret, id: 'cb_1', atMs: Date.now(), body });
  expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body));
  expect(() => new Webhook(secret).verify(`${body} `, { ...headers })).toThrow('No matching signature');
  expect(() => new Webhook(defaultSecret).verify(body, { ...headers })).toThrow('No matching signature');
});

test('the headers contain the id, and the time of the attempt in seconds', async () => {
  const message = { secret: defaultSecret, id: 'cb_1', body };
  const headers = await signMessage({ ...message, atMs: 1_700_000_000_999 });
  expect(headers).toEqual({
    'webhook-id': 'cb_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  expect(await signMessage({ ...message, atMs: 1_700_000_000_000 })).toEqual(headers);
  expect(await signMessage({ ...message, atMs: 1_700_000_001_000 })).not.toEqual(headers);
});

test('the default secret is valid and readable', () => {
  expect(parseSecret(defaultSecret).ok).toBe(true);
  expect(Buffer.from(defaultSecret.slice(6), 'base64').toString()).toBe('field-sandbox public test secret');
});
