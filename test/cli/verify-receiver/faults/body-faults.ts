/** Receivers that handle the body of a callback wrongly: its bytes, its length, its pieces. */
import { type Incoming, readBytes, rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { verify, take, parse } = rightSteps;

async function readPieces({ request }: Incoming): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return pieces;
}

const noJson = 'rejects a body that is not JSON';
const brokenByNoJson = `after "${noJson}" the receiver no longer accepts valid callbacks`;

export const bodyFaults: Readonly<Record<string, Fault>> = {
  'responds with 500 to a body that is not JSON': {
    steps: { parse: (body) => JSON.parse(body.toString()) },
    found: [noJson],
    note: 'half of a body, empty body: responded with 500: this looks like an outage, so the callback is sent again; expected a 4xx',
  },
  'accepts a body that is not JSON': {
    steps: { parse: (body) => (parse(body) === 400 ? 200 : parse(body)) },
    found: [noJson],
    note: 'half of a body, empty body: responded with 200: it accepts a body that it cannot read',
  },
  'fails after an empty body': {
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
    note: '400 in … ms; a valid callback after it: responded with 500',
    ends: brokenByNoJson,
  },
  'rejects more than 100 kB': {
    steps: { begin: ({ headers }) => (Number(headers['content-length']) > 100_000 ? 413 : undefined) },
    found: ['accepts 10,000 failures in one callback (1 MB)'],
    note: 'responded with 413',
  },
  'verifies JSON that it serialized again': {
    steps: { verify: (body, headers) => verify(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), headers) },
    found: ['verifies the raw bytes of the body'],
    note: 'responded with 401',
  },
  'decodes the body with another encoding': {
    steps: { verify: (body, headers) => verify(Buffer.from(body.toString('latin1')), headers) },
    found: ['accepts all characters in ids and reasons', 'accepts a body in several pieces'],
    note: 'responded with 401',
  },
  'decodes each piece on its own': {
    steps: { read: async (incoming) => Buffer.from((await readPieces(incoming)).map(String).join('')) },
    found: ['accepts a body in several pieces'],
    note: 'responded with 401',
  },
  'stops after an incomplete body': {
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
    found: ['accepts a callback again after an incomplete body'],
    note: 'second attempt: no response (connection …); a valid callback after it: no response (connection …)',
    ends: 'after "accepts a callback again after an incomplete body" the receiver no longer accepts valid callbacks',
  },
};
