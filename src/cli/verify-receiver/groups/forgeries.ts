/** Checks that a receiver rejects forged, replayed and malformed callbacks. */

import { signFaulty, toSent } from '../../../callbacks/callback-faults.ts';
import { type Message, type SignatureHeaders, signMessage } from '../../../callbacks/signature.ts';
import { rejects } from '../attempts.ts';
import type { CheckGroup, SendOptions } from '../check.ts';

type Signed = Required<Pick<SendOptions, 'sign'>>;

const acceptsForged = 'it accepts forged callbacks';
const acceptsAnyTime = 'it accepts callbacks with any timestamp';

function withSignature(signature: string): Signed {
  return { sign: async (message) => ({ ...(await signMessage(message)), 'webhook-signature': signature }) };
}

function withoutHeaders(...names: readonly (keyof SignatureHeaders)[]): Signed {
  return {
    sign: async (message) => {
      const headers = Object.entries(await signMessage(message));
      return Object.fromEntries(headers.filter(([name]) => !(names as readonly string[]).includes(name)));
    },
  };
}

/** Signs correctly, for another time. */
function withTimeOffset(shiftMs: number): Signed {
  return { sign: (message) => signMessage({ ...message, atMs: message.atMs + shiftMs }) };
}

/** Uses the signature of a different message, as if the message was changed after signing. */
function withSignatureOf(toSigned: (message: Message) => Message): Signed {
  return {
    sign: async (message) => {
      const [signed, headers] = await Promise.all([signMessage(toSigned(message)), signMessage(message)]);
      return { ...headers, 'webhook-signature': signed['webhook-signature'] };
    },
  };
}

const otherSecret = rejects(
  { '': { sign: (message) => signFaulty(message, { signature: 'invalid' }) } },
  acceptsForged,
  {
    name: 'rejects the signature of another secret',
    why: 'Otherwise anyone who knows the address can report failures that did not happen.',
    fix: 'Verify the signature with a library of standardwebhooks.com before anything else; respond with 401 if it is invalid.',
  },
);

const noSignature = rejects(
  {
    'no headers': withoutHeaders('webhook-id', 'webhook-timestamp', 'webhook-signature'),
    'no webhook-signature': withoutHeaders('webhook-signature'),
    'no webhook-id': withoutHeaders('webhook-id'),
    'no webhook-timestamp': withoutHeaders('webhook-timestamp'),
  },
  acceptsForged,
  {
    name: 'rejects unsigned callbacks',
    why: 'An optional signature protects nothing.',
    fix: 'Respond with 401 if one of the three headers is missing; verify in every environment.',
  },
);

const brokenSignature = rejects(
  {
    empty: withSignature('v1,'),
    'too short': withSignature('v1,c2hvcnQ='),
    'not base64': withSignature('v1,%%%'),
    'without a comma': withSignature('v1'),
  },
  acceptsForged,
  {
    name: 'rejects malformed signatures',
    why: 'The header comes from outside, and may contain anything.',
    fix: 'Compare lengths before timingSafeEqual, which throws if they differ; accept only "v1,"; respond with 401 to anything else.',
  },
);

const changed = rejects(
  {
    body: withSignatureOf((message) => ({ ...message, body: message.body.replace('geocoded', 'reached') })),
    'webhook-id': withSignatureOf((message) => ({ ...message, id: `${message.id}x` })),
    'webhook-timestamp': withSignatureOf((message) => ({ ...message, atMs: message.atMs - 60_000 })),
  },
  acceptsForged,
  {
    name: 'rejects a callback that was changed after signing',
    why: 'The signature covers id, timestamp and body. A part that you do not verify can be changed on the way.',
    fix: 'Verify one text: webhook-id, a full stop, webhook-timestamp, a full stop, and the raw body.',
  },
);

/** Above the limit of 5 min, with room for clock differences. Also detects a receiver that reads seconds as ms. */
const offsetMs = 10 * 60_000;

const stale = rejects({ '': withTimeOffset(-offsetMs) }, 'it accepts replayed callbacks', {
  name: 'rejects a timestamp that is ten minutes old',
  why: 'The callback was valid once: anyone who recorded it can send it again at any time.',
  fix: 'Respond with 401 if webhook-timestamp (in seconds, new for each retry) differs by more than 300 s from your clock.',
});

const future = rejects({ '': withTimeOffset(offsetMs) }, acceptsAnyTime, {
  name: 'rejects a timestamp that is ten minutes ahead',
  why: 'A callback with a future timestamp stays valid for as long as its sender wants.',
  fix: 'Check the difference in both directions: respond with 401 if Math.abs(now - timestamp) > 300.',
});

const noTimestamp = rejects({ '': withTimeOffset(Number.NaN) }, acceptsAnyTime, {
  name: 'rejects a timestamp that is not a number',
  why: 'NaN is neither too old nor too new: every comparison with it is false, so the callback is accepted.',
  fix: 'Respond with 401 if it contains anything but digits, before you compare it.',
});

const malformed = rejects(
  {
    'half of a body': { write: (message) => toSent(message, { body: 'malformed' }) },
    'empty body': { write: () => '' },
  },
  'it accepts a body that it cannot read',
  {
    name: 'rejects a body that is not JSON',
    why: 'After a 2xx the callback is never sent again, and is lost; after a 4xx the sender tries again with the complete body.',
    fix: 'Verify, then parse, and respond with 400 if parsing fails.',
  },
);

export const rejectsForgeries: CheckGroup = {
  name: 'rejects invalid callbacks',
  checks: [otherSecret, noSignature, brokenSignature, changed, stale, future, noTimestamp, malformed],
};
