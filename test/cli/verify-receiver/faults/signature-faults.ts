/** Receivers that believe what they should not, or refuse it in another way than they should. */
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
  "refuses another secret's signature",
  'refuses what is not signed',
  'refuses a signature that is none',
  'refuses what was changed after signing',
  'refuses a timestamp of ten minutes ago',
  'refuses a timestamp in ten minutes',
  'refuses a timestamp that is no number',
];

export const signatureFaults: Readonly<Record<string, Fault>> = {
  'accepts any signature': {
    steps: { verify: () => undefined },
    found: signatureChecks,
    note: 'answered 204: it accepts forged callbacks',
  },
  'verifies only what has a signature': {
    steps: { verify: (body, headers) => 'webhook-signature' in headers && verify(body, headers) },
    found: ['refuses what is not signed'],
    note: 'no header at all, no webhook-signature: answered 204: it accepts forged callbacks',
  },
  'fails where a signature is wrong': {
    steps: { refusal: 500 },
    found: signatureChecks,
    note: 'answered 500: refused, but it looks like an outage, and is sent again',
  },
  'says "later" where a signature is wrong': {
    steps: { refusal: 429 },
    found: signatureChecks,
    note: 'answered 429, which says "later" and not "no"',
  },
  'sends what is not signed to a login page': {
    steps: { begin: ({ headers }) => ('webhook-signature' in headers ? undefined : 302) },
    found: ['refuses what is not signed'],
    note: 'no header at all, no webhook-signature: answered 302: that is no refusal',
  },
  'fails where a header is missing': {
    steps: {
      begin: ({ headers }) =>
        ['webhook-id', 'webhook-timestamp', 'webhook-signature'].every((name) => name in headers) ? undefined : 500,
    },
    found: ['refuses what is not signed'],
    note: 'no header at all, no webhook-signature, no webhook-id, no webhook-timestamp: answered 500: refused, but it looks like an outage, and is sent again',
  },
  'compares signatures of other lengths': {
    steps: {
      begin: ({ headers: { 'webhook-signature': given = '' } }) =>
        given === '' || given.includes(' ') || given.length === 47 ? undefined : 500,
    },
    found: ['refuses a signature that is none'],
    note: 'empty, too short, no base64, without a comma: answered 500: refused, but it looks like an outage, and is sent again',
  },
  'does not look at the timestamp': {
    steps: { verify: verifyByHand(() => false) },
    found: signatureChecks.slice(4),
    note: 'answered 204: it accepts replayed callbacks',
  },
  'takes seconds for milliseconds': {
    steps: { verify: verifyByHand((seconds) => !(Math.abs(seconds) < 300_000)) },
    found: signatureChecks.slice(4, 6),
    note: 'answered 204: it accepts replayed callbacks',
  },
  'looks back only': {
    steps: { verify: verifyByHand((seconds) => !(seconds < 300)) },
    found: ['refuses a timestamp in ten minutes'],
    note: 'answered 204: it accepts callbacks of any time',
  },
  'does not know NaN': {
    steps: { verify: verifyByHand((seconds) => Math.abs(seconds) > 300) },
    found: ['refuses a timestamp that is no number'],
    note: 'answered 204: it accepts callbacks of any time',
  },
  'signs the first half of a body only': {
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
    found: ['refuses what was changed after signing'],
    note: 'the body: answered 204: it accepts forged callbacks',
  },
  'takes one signature only': {
    steps: {
      verify: (body, headers) => {
        if (headers['webhook-signature']?.includes(' ')) throw new Error('not right');
        verify(body, headers);
      },
    },
    found: ['takes several signatures in one header'],
    note: "another secret's before the right one, another version's before the right one: answered 401",
  },
};
