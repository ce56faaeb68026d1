/** Receivers that do not bear that callbacks come again, in another order, or many at once. */
import { rightSteps } from '../receiver.ts';
import type { Fault } from './fault.ts';

const { take } = rightSteps;

/** Work that takes so many turns of the event loop: longer than it takes to see that a connection has ended. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((next) => setImmediate(next));
}

export const repeatFaults: Readonly<Record<string, Fault>> = {
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
};
