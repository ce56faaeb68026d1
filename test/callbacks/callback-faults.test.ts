/** Faults of an attempt: its body and its signature. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback } from '../../src/callbacks/callback.ts';
import { signFaulty, toSent } from '../../src/callbacks/callback-faults.ts';
import { createCallbackFormat } from '../../src/callbacks/format.ts';
import { defaultSecret, signMessage } from '../../src/callbacks/signature.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { toFailures } from '../harness/failures.ts';

const format = createCallbackFormat(shippedProfile.callbacks);
const { body: content } = createCallback(toFailures({}));
const message = { secret: defaultSecret, id: 'msg_1', atMs: 1_700_000_000_000, body: '{"größe":"✓"}', content };
const signed = async (one: typeof message) => ({ 'content-type': 'application/json', ...(await signMessage(one)) });

test('sends and signs normally without a fault', async () => {
  expect(toSent({ a: 'ä' }, {})).toBe('{"a":"ä"}');
  expect(toSent({ a: 'ä' }, { signature: 'invalid' })).toBe('{"a":"ä"}');
  expect(await signFaulty(format, message, {})).toEqual(await signed(message));
  expect(await signFaulty(format, message, { body: 'malformed' })).toEqual(await signed(message));
});

test('a malformed body is never JSON, and has only whole characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), (key, text) => {
      const whole = JSON.stringify({ [key]: text });
      const half = toSent({ [key]: text }, { body: 'malformed' });
      expect(() => JSON.parse(half)).toThrow(SyntaxError);
      expect(Buffer.from(half).toString()).toBe(half);
      expect(whole.startsWith(half)).toBe(true);
      expect(Math.abs(half.length - whole.length / 2)).toBeLessThanOrEqual(1.5);
    }),
  );
});

test('a malformed body omits half a character', () => {
  expect(toSent({ a: '😀bcde' }, { body: 'malformed' })).toBe('{"a":"');
  expect(toSent({ a: '😀bcdefg' }, { body: 'malformed' })).toBe('{"a":"😀');
});

test.each([24, 33, 64])('an invalid signature uses another secret than one of %i bytes', async (bytes) => {
  for (const fill of [0x00, 0x5a, 0xff]) {
    const own = { ...message, secret: `whsec_${Buffer.alloc(bytes, fill).toString('base64')}` };
    const right = await signed(own);
    const wrong = await signFaulty(format, own, { signature: 'invalid' });
    expect(wrong).toEqual({ ...right, 'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/) });
    expect(wrong['webhook-signature']).not.toBe(right['webhook-signature']);
  }
});

test('a missing signature leaves the id and the timestamp', async () => {
  const { 'webhook-signature': _, ...others } = await signed(message);
  expect(await signFaulty(format, message, { signature: 'missing' })).toEqual(others);
});

test('a stale signature is valid for one hour earlier', async () => {
  const earlier = { ...message, atMs: message.atMs - 3_600_000 };
  expect(await signFaulty(format, message, { signature: 'stale' })).toEqual(await signed(earlier));
});
