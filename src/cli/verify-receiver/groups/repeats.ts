/** Checks that a receiver accepts duplicates, callbacks in any order, and parallel callbacks. */
import { type CheckGroup, judgeAccepted } from '../check.ts';

const atOnce = 10;

export const acceptsRepeats: CheckGroup = {
  name: 'accepts duplicates, any order and parallel callbacks',
  checks: [
    {
      name: 'accepts the same callback twice',
      why: 'Callbacks are delivered at least once. A rejected duplicate is sent again, and rejected again.',
      fix: 'Save each webhook-id; respond with 2xx to a known one, and do nothing else.',
      accepts: (context) => {
        const callback = context.createCallback();
        return { 'first attempt': { callback }, 'second attempt': { callback } };
      },
    },
    {
      name: 'accepts a later callback before an earlier one',
      why: 'Retries change the order of callbacks. A late callback must be accepted too.',
      fix: 'Do not compare timestamps before you respond; if the order matters, compare them when you process the callback.',
      accepts: {
        'later callback': { failed: [{ id: 'VERIFY-ORDER', reason: 'Address could not be geocoded' }] },
        'earlier callback': { ageMs: 60_000, failed: [{ id: 'VERIFY-ORDER', reason: 'No capacity left' }] },
      },
    },
    {
      name: `accepts ${atOnce} callbacks in parallel`,
      why: 'Imports of several projects can fail at the same time, and callbacks of different projects are sent in parallel.',
      fix: 'Check for locks, exhausted database connections, and a rate limit that responds with 429.',
      run: async (context) => {
        const send = async (_: unknown, index: number) => {
          const callback = context.createCallback();
          return { label: `callback ${index + 1}`, callback, result: await context.post(callback) };
        };
        return judgeAccepted(await Promise.all(Array.from({ length: atOnce }, send)));
      },
    },
  ],
};

export const acceptsLast: CheckGroup = {
  name: 'at the end',
  checks: [
    {
      name: 'accepts the first callback again after all others',
      why: 'The last retry is sent 13 minutes after the first attempt, and a manual redelivery may follow days later.',
      fix: 'Respond with 2xx to saved ids, and keep them for some days.',
      accepts: ({ accepted }) => ({ '': accepted ? { callback: accepted } : {} }),
    },
  ],
};
