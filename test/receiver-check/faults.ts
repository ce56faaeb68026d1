/** What partners do wrong in a receiver of callbacks: one fault each, and the checks that are to find it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { type Incoming, readBytes, rightSteps, type Steps } from './receiver.ts';

/** Steps that are wrong, and the checks that fail by them. */
export interface Fault {
  readonly steps: Partial<Steps>;
  readonly found: readonly string[];
  /** What the notes of the first of these say. */
  readonly note: string;
  /** Where it broke the receiver, or no other check could tell anything: why the rest was left out. */
  readonly ends?: string;
  readonly hint?: string;
  /** Where an attempt has to end without an answer. */
  readonly attemptMs?: number;
}

type Headers = Incoming['headers'];
const { verify, take, parse } = rightSteps;

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

/** Work that takes so many turns of the event loop: longer than it takes to see that a connection has ended. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((next) => setImmediate(next));
}

async function readPieces({ request }: Incoming): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return pieces;
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

const noJson = 'refuses a body that is no JSON';
const brokenByNoJson = `"${noJson}" has broken it: valid ones are not taken any more`;

export const faults: Readonly<Record<string, Fault>> = {
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
  'refuses duplicates': {
    steps: {
      take: (message, incoming) => (incoming.memory.done.has(incoming.id) ? 409 : take(message, incoming)),
    },
    found: [
      'takes the same one twice',
      'takes one again whose sender did not wait for the answer',
      'takes the very first one again, after all others',
    ],
    note: 'the second time: answered 409',
  },
  'remembers only the last ids': {
    steps: {
      take: (message, incoming) => {
        const { memory, id } = incoming;
        if ([...memory.done].slice(0, -5).includes(id)) return 500;
        return take(message, incoming);
      },
    },
    found: ['takes the very first one again, after all others'],
    note: 'answered 500',
  },
  'remembers an id before it has the body': {
    steps: {
      begin: ({ id, memory }) => {
        if (memory.seen.has(id) && !memory.done.has(id)) return 409;
        memory.seen.add(id);
        return undefined;
      },
    },
    found: ['takes one again whose body had broken off'],
    note: 'the second attempt: answered 409',
  },
  'stays at work where nobody waits': {
    steps: {
      take: async (message, incoming) => {
        const { id, memory, response } = incoming;
        if (memory.seen.has(id)) return 409;
        memory.seen.add(id);
        await turns(50);
        if (response.destroyed) return 0;
        memory.seen.delete(id);
        return take(message, incoming);
      },
    },
    found: ['takes one again whose sender did not wait for the answer'],
    note: 'the second attempt: answered 409',
  },
  'refuses what is older than the newest': {
    steps: {
      take: (message, incoming) => {
        const { latest } = incoming.memory;
        if (Date.parse(message.timestamp) < Date.parse(latest.at) - 30_000) return 422;
        latest.at = message.timestamp;
        return take(message, incoming);
      },
    },
    found: ['takes a later one before an earlier one'],
    note: 'the earlier one: answered 422',
  },
  'has no more than three connections to its database': {
    steps: {
      take: async (message, incoming) => {
        const { memory } = incoming;
        if (memory.working === 3) return 503;
        memory.working += 1;
        await turns(50);
        memory.working -= 1;
        return take(message, incoming);
      },
    },
    found: ['takes 10 at once'],
    note: 'number 4, number 5, number 6, number 7, number 8, number 9, number 10: answered 503',
  },
  'fails at what is no JSON': {
    steps: { parse: (body) => JSON.parse(body.toString()) },
    found: [noJson],
    note: 'half of a message, nothing: answered 500: refused, but it looks like an outage, and is sent again',
  },
  'takes what is no JSON': {
    steps: { parse: (body) => (parse(body) === 400 ? 200 : parse(body)) },
    found: [noJson],
    note: 'half of a message, nothing: answered 200: it says that it has taken it',
  },
  'answers nothing right after what is no JSON': {
    steps: {
      begin: ({ memory }) => (memory.isBroken ? 500 : undefined),
      take: (message, incoming) => take(message, incoming),
      parse: rightSteps.parse,
      read: async (incoming) => {
        const body = await readBytes(incoming);
        if (incoming.headers['content-length'] === '0') incoming.memory.isBroken = true;
        return body;
      },
    },
    found: [noJson],
    note: '400 in … ms; a valid one afterwards: answered 500',
    ends: brokenByNoJson,
  },
  'dies of what is no JSON': {
    steps: {
      read: async (incoming) => {
        const body = await readBytes(incoming);
        if (body.length > 0 && !body.toString().trimEnd().endsWith('}')) incoming.memory.stop();
        return body;
      },
    },
    found: [noJson],
    note: 'half of a message: gave no answer (connection …); a valid one afterwards: gave no answer (connection refused)',
    ends: brokenByNoJson,
  },
  'fails at a type that it does not know': {
    steps: {
      take: (message, incoming) =>
        /^(jobs|routes|orders)\.(import|update)\.failed$/.test(message.type) ? take(message, incoming) : 500,
    },
    found: ['takes a type that it does not know'],
    note: 'visits.import.failed: answered 500',
  },
  'knows one type only': {
    steps: { take: (message, incoming) => (message.type === 'routes.import.failed' ? take(message, incoming) : 400) },
    found: ['takes all six types', 'takes a type that it does not know'],
    note: 'jobs.import.failed, jobs.update.failed, routes.update.failed, orders.import.failed, orders.update.failed: answered 400',
  },
  'refuses fields that it does not know': {
    steps: {
      take: (message, incoming) => {
        const known = ['projectId', 'subProjectId', 'operation', 'requestId', 'failed'];
        const isKnown =
          Object.keys(message).length === 3 &&
          Object.keys(message.data).every((key) => known.includes(key)) &&
          message.data.failed.every((entry) => Object.keys(entry).length === 2);
        return isKnown ? take(message, incoming) : 400;
      },
    },
    found: ['takes fields that it does not know'],
    note: 'beside data, in data, in an entry: answered 400',
  },
  'refuses a sub-project': {
    steps: { take: (message, incoming) => ('subProjectId' in message.data ? 400 : take(message, incoming)) },
    found: ['takes one of a sub-project'],
    note: 'answered 400',
  },
  'looks for ids': {
    steps: {
      take: (message, incoming) =>
        message.data.failed.every(({ id }) => String(id).startsWith('VERIFY')) ? take(message, incoming) : 404,
    },
    found: ['takes ids and projects that it does not know'],
    note: 'an id: answered 404',
  },
  'looks for projects': {
    steps: {
      take: (message, incoming) => (message.data['projectId'] === 'verify-receiver' ? take(message, incoming) : 404),
    },
    found: ['takes ids and projects that it does not know'],
    note: 'a project: answered 404',
  },
  'reads no more than 100 kB': {
    steps: { begin: ({ headers }) => (Number(headers['content-length']) > 100_000 ? 413 : undefined) },
    found: ['takes 10,000 failures at once, 1 MB'],
    note: 'answered 413',
  },
  'closes where there are more than 100 kB': {
    steps: {
      begin: ({ headers, request }) => {
        if (Number(headers['content-length']) <= 100_000) return undefined;
        request.socket.destroy();
        return 0;
      },
    },
    found: ['takes 10,000 failures at once, 1 MB'],
    note: 'gave no answer (connection …)',
  },
  'verifies JSON that it has written again': {
    steps: { verify: (body, headers) => verify(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), headers) },
    found: ['verifies the bytes as they came'],
    note: 'answered 401',
  },
  'reads another encoding': {
    steps: { verify: (body, headers) => verify(Buffer.from(body.toString('latin1')), headers) },
    found: ['takes any letters in ids and reasons', 'takes a body that comes in pieces'],
    note: 'answered 401',
  },
  'decodes each piece by itself': {
    steps: { read: async (incoming) => Buffer.from((await readPieces(incoming)).map(String).join('')) },
    found: ['takes a body that comes in pieces'],
    note: 'answered 401',
  },
  'waits for one piece only': {
    steps: {
      read: async (incoming) => {
        const { request, headers } = incoming;
        const length = Number(headers['content-length']);
        if (length > 10_000) return readBytes(incoming);
        for await (const piece of request) {
          if (piece.length === length) return piece;
          request.socket.destroy();
        }
        return Buffer.alloc(0);
      },
    },
    found: ['takes a body that comes in pieces'],
    note: 'gave no answer (connection …)',
  },
  'dies of a body that breaks off': {
    steps: {
      read: async (incoming) => {
        try {
          return await readBytes(incoming);
        } catch (error) {
          incoming.memory.stop();
          throw error;
        }
      },
    },
    found: ['takes one again whose body had broken off'],
    note: 'the second attempt: gave no answer (connection refused); a valid one afterwards: gave no answer (connection refused)',
    ends: '"takes one again whose body had broken off" has broken it: valid ones are not taken any more',
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
  redirects: {
    steps: { begin: () => 307 },
    found: ['answers at this address itself'],
    note: 'answered 307: redirects are not followed',
    ends: 'valid ones are sent elsewhere',
  },
  'never answers': {
    steps: { begin: () => 0 },
    found: ['answers in time'],
    note: 'gave no answer (timed out after 100 ms)',
    attemptMs: 100,
    ends: 'a valid one has no answer',
  },
  'never ends its answer': {
    steps: {
      begin: ({ response }) => {
        response.writeHead(200).write('working on it');
        return 0;
      },
    },
    found: ['answers in time'],
    note: '200, but its end had not come',
    ends: 'answers never end',
    attemptMs: 500,
  },
  'never answers what is not signed': {
    steps: { begin: ({ headers }) => ('webhook-signature' in headers ? undefined : 0) },
    found: ['refuses what is not signed'],
    note: 'no header at all: gave no answer (timed out after 1 s)',
    attemptMs: 1000,
  },
  'has another secret': {
    steps: { verify: (body, headers) => verify(body, { ...headers, 'webhook-id': 'other' }) },
    found: ['takes all six types'],
    note: 'all of them: answered 401',
    ends: 'all valid ones are refused',
    hint: "is the secret right? They were signed with the published secret; --callback-secret gives another. Then: does it verify the body's bytes as they came, and is its clock right?",
  },
  'is at another path': {
    steps: { begin: () => 404 },
    found: ['takes all six types'],
    note: 'all of them: answered 404',
    ends: 'all valid ones are refused',
    hint: 'is the path right? And ids that it does not know have to be taken, too',
  },
  'fails always': {
    steps: { take: () => 500 },
    found: ['takes all six types'],
    note: 'all of them: answered 500',
    ends: 'all valid ones fail',
    hint: 'what does its log say?',
  },
  'wants no more': {
    steps: { take: () => 410 },
    found: ['takes all six types'],
    note: 'all of them: answered 410, at which the sender gives up this callback and sends no other',
    ends: 'all valid ones are refused',
    hint: "is the secret right? They were signed with the published secret; --callback-secret gives another. Then: does it verify the body's bytes as they came, and is its clock right?",
  },
};
