/** Receivers with one typical fault each, and receivers of callbacks that a profile changed. */
import { createHmac } from 'node:crypto';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import type { VerifyRequest } from '../../../src/cli/verify-receiver/command.ts';
import { type Incoming, readBytes, rightSteps, type Steps } from './receiver.ts';

/** The wrong steps of a receiver. */
interface Fault extends Partial<Steps> {
  /** Shorter timeouts, if the receiver does not respond. */
  readonly limits?: VerifyRequest['limits'];
  readonly profile?: object;
}

type Headers = Incoming['headers'];
const { verify, take, parse } = rightSteps;

const key = Buffer.from(defaultSecret.slice('whsec_'.length), 'base64');
const sign = (text: string) => createHmac('sha256', key).update(text);

/** Whether any of the signatures is right; the timestamp is not looked at. */
function isSigned(body: string, headers: Headers): boolean {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const right = sign(text).digest('base64');
  return (headers['webhook-signature'] ?? '').split(' ').includes(`v1,${right}`);
}

/** Verifies by hand; `isOld` looks at how many seconds ago it was. */
function verifyByHand(isOld: (seconds: number) => boolean): Steps['verify'] {
  return (body, headers) => {
    const seconds = Date.now() / 1000 - Number(headers['webhook-timestamp']);
    if (!isSigned(body.toString(), headers) || isOld(seconds)) throw new Error('not right');
  };
}

/** Work that takes so many turns of the event loop: longer than it takes to see that a connection has ended. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((next) => setImmediate(next));
}

const answers: Readonly<Record<string, Fault>> = {
  redirects: { begin: () => 307 },
  'never responds': { begin: () => 0, limits: { attemptMs: 100 } },
  'never responds to any of the checks': { begin: () => 0, limits: { wholeMs: 50 } },
  'never ends its response': {
    begin: ({ response }) => {
      response.writeHead(200).write('working on it');
      return 0;
    },
    limits: { attemptMs: 3000 },
  },
  'sends interim responses': {
    begin: ({ response }) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      return undefined;
    },
  },
  'has another secret': { verify: (body, headers) => verify(body, { ...headers, 'webhook-id': 'other' }) },
  'has another path': { begin: () => 404 },
  'always fails': { take: () => 500 },
  'responds with 410': { take: () => 410 },
};

const signatures: Readonly<Record<string, Fault>> = {
  'accepts any signature': { verify: () => undefined },
  'verifies only callbacks with a signature': {
    verify: (body, headers) => 'webhook-signature' in headers && verify(body, headers),
  },
  'responds with 500 to an invalid signature': { refusal: 500 },
  'responds with 429 to an invalid signature': { refusal: 429 },
  'redirects unsigned callbacks to a login page': {
    begin: ({ headers }) => ('webhook-signature' in headers ? undefined : 302),
  },
  'ignores the timestamp': { verify: verifyByHand(() => false) },
  'reads seconds as milliseconds': { verify: verifyByHand((seconds) => !(Math.abs(seconds) < 300_000)) },
  'checks only the past': { verify: verifyByHand((seconds) => !(seconds < 300)) },
  'accepts NaN': { verify: verifyByHand((seconds) => Math.abs(seconds) > 300) },
  'verifies only the first half of a body': {
    verify: (body, headers) => {
      // What was right before its second half was changed is right.
      const text = body.toString();
      const before = text.replace('geocoded', 'reached');
      verify(Buffer.from(isSigned(before, headers) ? before : text), headers);
    },
  },
  'accepts only one signature': {
    verify: (body, headers) => {
      if (headers['webhook-signature']?.includes(' ')) throw new Error('not right');
      verify(body, headers);
    },
  },
};

const unknowns: Readonly<Record<string, Fault>> = {
  'fails at an unknown type': {
    take: (message, incoming) =>
      /^(jobs|routes|orders)\.(import|update)\.failed$/.test(message.type) ? take(message, incoming) : 500,
  },
  'knows one type only': {
    take: (message, incoming) => (message.type === 'routes.import.failed' ? take(message, incoming) : 400),
  },
  'rejects unknown fields': {
    take: (message, incoming) => {
      const known = ['projectId', 'subProjectId', 'operation', 'requestId', 'failed'];
      const isKnown =
        Object.keys(message).length === 3 &&
        Object.keys(message.data).every((key) => known.includes(key)) &&
        message.data.failed.every((entry) => Object.keys(entry).length === 2);
      return isKnown ? take(message, incoming) : 400;
    },
  },
  'rejects a subproject': {
    take: (message, incoming) => ('subProjectId' in message.data ? 400 : take(message, incoming)),
  },
  'requires known ids': {
    take: (message, incoming) =>
      message.data.failed.every(({ id }) => String(id).startsWith('VERIFY')) ? take(message, incoming) : 404,
  },
  'requires known projects': {
    take: (message, incoming) => (message.data['projectId'] === 'verify-receiver' ? take(message, incoming) : 404),
  },
};

const repeats: Readonly<Record<string, Fault>> = {
  'rejects duplicates': {
    take: (message, incoming) => (incoming.memory.done.has(incoming.id) ? 409 : take(message, incoming)),
  },
  'saves only the last ids': {
    take: (message, incoming) =>
      [...incoming.memory.done].slice(0, -5).includes(incoming.id) ? 500 : take(message, incoming),
  },
  'saves an id before it has the body': {
    begin: ({ id, memory }) => {
      if (memory.seen.has(id) && !memory.done.has(id)) return 409;
      memory.seen.add(id);
      return undefined;
    },
  },
  'stops its work if the sender disconnects': {
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
  'rejects callbacks that are older than the newest': {
    take: (message, incoming) => {
      const { memory } = incoming;
      if (Date.parse(message.timestamp) < Date.parse(memory.latestAt) - 30_000) return 422;
      memory.latestAt = message.timestamp;
      return take(message, incoming);
    },
  },
  'has only three connections to its database': {
    take: async (message, incoming) => {
      const { memory } = incoming;
      if (memory.working === 3) return 503;
      memory.working += 1;
      await turns(50);
      memory.working -= 1;
      return take(message, incoming);
    },
  },
};

const bodies: Readonly<Record<string, Fault>> = {
  'responds with 500 to a body that is not JSON': { parse: (body) => JSON.parse(body.toString()) },
  'accepts a body that is not JSON': { parse: (body) => (parse(body) === 400 ? 200 : parse(body)) },
  'rejects more than 100 kB': {
    begin: ({ headers }) => (Number(headers['content-length']) > 100_000 ? 413 : undefined),
  },
  'verifies JSON that it serialized again': {
    verify: (body, headers) => verify(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), headers),
  },
  'decodes the body with another encoding': {
    verify: (body, headers) => verify(Buffer.from(body.toString('latin1')), headers),
  },
  'decodes each piece on its own': {
    read: async ({ request }) => Buffer.from((await request.toArray()).map(String).join('')),
  },
  'stops after an incomplete body': {
    read: (incoming) =>
      readBytes(incoming).catch((error) => {
        incoming.memory.stop();
        throw error;
      }),
  },
};

const hmac = { hmac: 'sha256', header: 'x-sign', over: '{timestamp}.{body}' };
const timed = {
  callbacks: { method: 'PUT', headers: { 'x-time': '{timestamp}' }, signature: hmac },
  bodies: { callback: { all: [{ id: '{entry.id}' }] } },
};

const withProfile: Readonly<Record<string, Fault>> = {
  'verifies an HMAC of the time and the body': {
    profile: timed,
    begin: ({ request }) => (request.method === 'PUT' ? undefined : 405),
    verify: (body, headers) => {
      const time = headers['x-time'] ?? '';
      const isNow = /^\d+$/.test(time) && Math.abs(Date.now() / 1000 - Number(time)) <= 300;
      const right = sign(`${time}.${body}`).digest('hex');
      if (!isNow || headers['x-sign'] !== right) throw new Error('not right');
    },
    take: (message) => (/^\{"all":\[\{"id":"[^"]+"\}/.test(JSON.stringify(message)) ? 204 : 422),
  },
  'verifies neither the time nor the body': {
    profile: timed,
    verify: (_body, headers) => {
      if (headers['x-sign'] === undefined) throw new Error('not right');
    },
  },
  'verifies a header with the secret, and is sent an entry at a time': {
    profile: {
      callbacks: {
        signature: { header: 'authorization', value: 'Bearer {secret}' },
        perEntry: true,
        successes: true,
      },
    },
    verify: (_body, headers) => {
      if (headers['authorization'] !== `Bearer ${defaultSecret}`) throw new Error('not right');
    },
    take: ({ type }) => (type.endsWith('.completed') ? 422 : 204),
  },
  'verifies nothing, as its profile says': { profile: { callbacks: { signature: 'none' } }, verify: () => undefined },
};

export const faults: Readonly<Record<string, Fault>> = {
  'is correct': {},
  ...answers,
  ...signatures,
  ...unknowns,
  ...repeats,
  ...bodies,
  ...withProfile,
};
