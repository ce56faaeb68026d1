/** Checks that a receiver rejects forged, replayed and malformed callbacks. */

import { signFaulty, toSent } from '../../../callbacks/callback-faults.ts';
import { type Message, type SignatureHeaders, signMessage } from '../../../callbacks/signature.ts';
import type { Check, CheckGroup, SendOptions } from '../check.ts';
import { judgeRejected } from '../judge.ts';
import { sendInOrder } from '../send-in-order.ts';

type Sign = NonNullable<SendOptions['sign']>;

const acceptsForged = 'it accepts forged callbacks';
const acceptsAnyTime = 'it accepts callbacks of any time';

/** Creates a check whose callbacks the receiver must reject. `signs`: how to sign each, by label. */
function rejects(signs: Readonly<Record<string, Sign>>, meaning: string, texts: Omit<Check, 'run'>): Check {
  return {
    ...texts,
    run: async (context) => {
      const attempts = Object.entries(signs).map(([label, sign]) => ({
        label,
        callback: context.createCallback(),
        options: { sign },
      }));
      return judgeRejected(await sendInOrder(context, attempts), meaning);
    },
  };
}

function withSignature(signature: string): Sign {
  return async (message) => ({ ...(await signMessage(message)), 'webhook-signature': signature });
}

function withoutHeaders(...names: readonly (keyof SignatureHeaders)[]): Sign {
  return async (message) => {
    const headers = Object.entries(await signMessage(message));
    return Object.fromEntries(headers.filter(([name]) => !(names as readonly string[]).includes(name)));
  };
}

/** Signs correctly, for another time. */
function withTimeOffset(shiftMs: number): Sign {
  return (message) => signMessage({ ...message, atMs: message.atMs + shiftMs });
}

/** Uses the signature of a different message, as if the message was changed after signing. */
function withSignatureOf(toSigned: (message: Message) => Message): Sign {
  return async (message) => {
    const [signed, headers] = await Promise.all([signMessage(toSigned(message)), signMessage(message)]);
    return { ...headers, 'webhook-signature': signed['webhook-signature'] };
  };
}

const otherSecret = rejects({ '': (message) => signFaulty(message, { signature: 'invalid' }) }, acceptsForged, {
  name: "refuses another secret's signature",
  why: 'Whoever knows the address could tell you of failures that there were not.',
  fix: 'Verify with a library of standardwebhooks.com before anything else, and answer 401 where that fails.',
});

const noSignature = rejects(
  {
    'no header at all': withoutHeaders('webhook-id', 'webhook-timestamp', 'webhook-signature'),
    'no webhook-signature': withoutHeaders('webhook-signature'),
    'no webhook-id': withoutHeaders('webhook-id'),
    'no webhook-timestamp': withoutHeaders('webhook-timestamp'),
  },
  acceptsForged,
  {
    name: 'refuses what is not signed',
    why: 'A signature that may be left out protects nothing.',
    fix: 'Answer 401 where one of the three headers is not there; verify in every environment.',
  },
);

const brokenSignature = rejects(
  {
    empty: withSignature('v1,'),
    'too short': withSignature('v1,c2hvcnQ='),
    'no base64': withSignature('v1,%%%'),
    'without a comma': withSignature('v1'),
  },
  acceptsForged,
  {
    name: 'refuses a signature that is none',
    why: 'The header comes from outside, and may hold anything.',
    fix: 'Compare lengths before timingSafeEqual, which throws; take only "v1,"; answer 401 for whatever can not be read.',
  },
);

const changed = rejects(
  {
    'the body': withSignatureOf((message) => ({ ...message, body: message.body.replace('geocoded', 'reached') })),
    'webhook-id': withSignatureOf((message) => ({ ...message, id: `${message.id}x` })),
    'webhook-timestamp': withSignatureOf((message) => ({ ...message, atMs: message.atMs - 60_000 })),
  },
  acceptsForged,
  {
    name: 'refuses what was changed after signing',
    why: 'A signature is of id, timestamp and body together; what is left out of it can be changed on the way.',
    fix: 'Verify webhook-id, a full stop, webhook-timestamp, a full stop and the raw body, as one text.',
  },
);

/** Above the limit of 5 min, with room for clock differences. Also detects a receiver that reads seconds as ms. */
const offsetMs = 10 * 60_000;

const stale = rejects({ '': withTimeOffset(-offsetMs) }, 'it accepts replayed callbacks', {
  name: 'refuses a timestamp of ten minutes ago',
  why: 'It was signed rightly, once: who has seen it could send it again whenever they like.',
  fix: 'Answer 401 to what is more than 300 s from your clock. webhook-timestamp is in seconds; retries have a new one.',
});

const future = rejects({ '': withTimeOffset(offsetMs) }, acceptsAnyTime, {
  name: 'refuses a timestamp in ten minutes',
  why: 'A callback that is dated ahead stays good for as long as its sender wants.',
  fix: 'Look at the distance in both directions, Math.abs(now - timestamp) > 300, and answer 401.',
});

const noTimestamp = rejects({ '': withTimeOffset(Number.NaN) }, acceptsAnyTime, {
  name: 'refuses a timestamp that is no number',
  why: 'NaN is neither too old nor too new: comparisons with it are false, and let it in.',
  fix: 'Answer 401 to whatever is not digits alone, before you compare.',
});

const malformed: Check = {
  name: 'refuses a body that is no JSON',
  why: 'What is answered by a 2xx is never sent again, and is lost; a 4xx lets the sender try again, with the whole body.',
  fix: 'Verify, then parse, and answer 400 where that fails.',
  run: async (context) => {
    const half = context.createCallback({ write: (message) => toSent(message, { body: 'malformed' }) });
    const none = context.createCallback({ write: () => '' });
    const attempts = [
      { label: 'half of a message', callback: half },
      { label: 'nothing', callback: none },
    ];
    return judgeRejected(await sendInOrder(context, attempts), 'it says that it has taken it');
  },
};

export const rejectsForgeries: CheckGroup = {
  name: 'refuses what is not right',
  checks: [otherSecret, noSignature, brokenSignature, changed, stale, future, noTimestamp, malformed],
};
