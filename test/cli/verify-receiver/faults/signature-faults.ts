/** Receivers that accept forged callbacks, or reject them in the wrong way. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { defaultSecret } from '../../../../src/callbacks/signature.ts';
import { type Incoming, rightSteps, type Steps } from '../receiver.ts';
import type { Fault } from './fault.ts';

type Headers = Incoming['headers'];
const { verify } = rightSteps;

/** Whether any of these signatures is right; the timestamp is not looked at. */
function isSigned(body: Buffer, headers: Headers, given: readonly string[]): boolean {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  const key = Buffer.from(defaultSecret.slice('whsec_'.length), 'base64');
  const right = Buffer.from(`v1,${createHmac('sha256', key).update(text).update(body).digest('base64')}`);
  return given.map((one) => Buffer.from(one)).some((one) => one.length === right.length && timingSafeEqual(one, right));
}

/** Verifies by hand; `isOld` looks at how many seconds ago it was. */
function verifyByHand(isOld: (seconds: number) => boolean): Steps['verify'] {
  return (body, headers) => {
    const signatures = (headers['webhook-signature'] ?? '').split(' ');
    const seconds = Date.now() / 1000 - Number(headers['webhook-timestamp']);
    if (!isSigned(body, headers, signatures) || isOld(seconds)) throw new Error('not right');
  };
}

const signatureChecks = [
  'rejects the signature of another secret',
  'rejects unsigned callbacks',
  'rejects malformed signatures',
  'rejects a callback that was changed after signing',
  'rejects a timestamp that is ten minutes old',
  'rejects a timestamp that is ten minutes ahead',
  'rejects a timestamp that is not a number',
];

export const signatureFaults: Readonly<Record<string, Fault>> = {
  'accepts any signature': {
    steps: { verify: () => undefined },
    found: signatureChecks,
    note: 'responded with 204: it accepts forged callbacks',
  },
  'verifies only callbacks with a signature': {
    steps: { verify: (body, headers) => 'webhook-signature' in headers && verify(body, headers) },
    found: ['rejects unsigned callbacks'],
    note: 'no headers, no webhook-signature: responded with 204: it accepts forged callbacks',
  },
  'responds with 500 to an invalid signature': {
    steps: { refusal: 500 },
    found: signatureChecks,
    note: 'responded with 500: this looks like an outage, so the callback is sent again; expected a 4xx',
  },
  'responds with 429 to an invalid signature': {
    steps: { refusal: 429 },
    found: signatureChecks,
    note: 'responded with 429: this asks for a retry and is not a rejection',
  },
  'redirects unsigned callbacks to a login page': {
    steps: { begin: ({ headers }) => ('webhook-signature' in headers ? undefined : 302) },
    found: ['rejects unsigned callbacks'],
    note: 'no headers, no webhook-signature: responded with 302: a redirect is not a rejection; expected a 4xx',
  },
  'ignores the timestamp': {
    steps: { verify: verifyByHand(() => false) },
    found: signatureChecks.slice(4),
    note: 'responded with 204: it accepts replayed callbacks',
  },
  'reads seconds as milliseconds': {
    steps: { verify: verifyByHand((seconds) => !(Math.abs(seconds) < 300_000)) },
    found: signatureChecks.slice(4, 6),
    note: 'responded with 204: it accepts replayed callbacks',
  },
  'checks only the past': {
    steps: { verify: verifyByHand((seconds) => !(seconds < 300)) },
    found: ['rejects a timestamp that is ten minutes ahead'],
    note: 'responded with 204: it accepts callbacks with any timestamp',
  },
  'accepts NaN': {
    steps: { verify: verifyByHand((seconds) => Math.abs(seconds) > 300) },
    found: ['rejects a timestamp that is not a number'],
    note: 'responded with 204: it accepts callbacks with any timestamp',
  },
  'verifies only the first half of a body': {
    steps: {
      verify: (body, headers) => {
        // What is right is right, and so is what was right before its second half was changed.
        const text = body.toString();
        const before = [text, text.replace('geocoded', 'reached')].find((one) =>
          isSigned(Buffer.from(one), headers, (headers['webhook-signature'] ?? '').split(' ')),
        );
        verify(Buffer.from(before ?? text), headers);
      },
    },
    found: ['rejects a callback that was changed after signing'],
    note: 'body: responded with 204: it accepts forged callbacks',
  },
  'accepts only one signature': {
    steps: {
      verify: (body, headers) => {
        if (headers['webhook-signature']?.includes(' ')) throw new Error('not right');
        verify(body, headers);
      },
    },
    found: ['accepts several signatures in one header'],
    note: 'signature of another secret first, signature of another version first: responded with 401',
  },
};
