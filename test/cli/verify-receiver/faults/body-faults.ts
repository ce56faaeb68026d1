/** Receivers that do not bear the body of a callback: its bytes, its length, how it comes. */
import { type Incoming, readBytes, rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { verify, take, parse } = rightSteps;

async function readPieces({ request }: Incoming): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return pieces;
}

const noJson = 'refuses a body that is no JSON';
const brokenByNoJson = `"${noJson}" has broken it: valid ones are not taken any more`;

export const bodyFaults: Readonly<Record<string, Fault>> = {
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
};
