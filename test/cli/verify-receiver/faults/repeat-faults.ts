/** Receivers that fail with duplicates, with another order, or with parallel callbacks. */
import { rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { take } = rightSteps;

/** Work that takes so many turns of the event loop: longer than it takes to see that a connection has ended. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((next) => setImmediate(next));
}

export const repeatFaults: Readonly<Record<string, Fault>> = {
  'rejects duplicates': {
    steps: {
      take: (message, incoming) => (incoming.memory.done.has(incoming.id) ? 409 : take(message, incoming)),
    },
    found: [
      'accepts the same callback twice',
      'accepts a callback again after its sender timed out',
      'accepts the first callback again after all others',
    ],
    note: 'second attempt: responded with 409',
  },
  'saves only the last ids': {
    steps: {
      take: (message, incoming) => {
        const { memory, id } = incoming;
        if ([...memory.done].slice(0, -5).includes(id)) return 500;
        return take(message, incoming);
      },
    },
    found: ['accepts the first callback again after all others'],
    note: 'responded with 500',
  },
  'saves an id before it has the body': {
    steps: {
      begin: ({ id, memory }) => {
        if (memory.seen.has(id) && !memory.done.has(id)) return 409;
        memory.seen.add(id);
        return undefined;
      },
    },
    found: ['accepts a callback again after an incomplete body'],
    note: 'second attempt: responded with 409',
  },
  'stops its work if the sender disconnects': {
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
    found: ['accepts a callback again after its sender timed out'],
    note: 'second attempt: responded with 409',
  },
  'rejects callbacks that are older than the newest': {
    steps: {
      take: (message, incoming) => {
        const { latest } = incoming.memory;
        if (Date.parse(message.timestamp) < Date.parse(latest.at) - 30_000) return 422;
        latest.at = message.timestamp;
        return take(message, incoming);
      },
    },
    found: ['accepts a later callback before an earlier one'],
    note: 'earlier callback: responded with 422',
  },
  'has only three connections to its database': {
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
    found: ['accepts 10 callbacks in parallel'],
    note: 'callback 4, callback 5, callback 6, callback 7, callback 8, callback 9, callback 10: responded with 503',
  },
};
