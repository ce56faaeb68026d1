/** Checks that a receiver accepts duplicates, callbacks in any order, and parallel callbacks. */
import type { Check, CheckGroup } from '../check.ts';
import { judgeAccepted } from '../judge.ts';
import { sendInOrder } from '../send-in-order.ts';

const twice: Check = {
  name: 'takes the same one twice',
  why: 'Callbacks are sent at least once. A duplicate that is refused is sent again, and refused again.',
  fix: 'Remember webhook-id; answer 2xx for one that you have, and do nothing more.',
  run: async (context) => {
    const callback = context.createCallback();
    const attempts = [
      { label: 'the first time', callback },
      { label: 'the second time', callback },
    ];
    return judgeAccepted(await sendInOrder(context, attempts));
  },
};

const minuteMs = 60_000;

const reordered: Check = {
  name: 'takes a later one before an earlier one',
  why: 'Retries and parallel sending put callbacks in any order. What comes late has to be taken all the same.',
  fix: 'Do not compare with the last timestamp before you answer; where order matters, compare when you work on it.',
  run: async (context) => {
    const earlier = context.createCallback({
      ageMs: minuteMs,
      failed: [{ id: 'VERIFY-ORDER', reason: 'No capacity left' }],
    });
    const later = context.createCallback({ failed: [{ id: 'VERIFY-ORDER', reason: 'Address could not be geocoded' }] });
    const attempts = [
      { label: 'the later one', callback: later },
      { label: 'the earlier one', callback: earlier },
    ];
    return judgeAccepted(await sendInOrder(context, attempts));
  },
};

const atOnce = 10;

const parallel: Check = {
  name: `takes ${atOnce} at once`,
  why: 'A large import fails in many places at the same time, and callbacks are sent beside each other.',
  fix: 'Look for locks, for connections to the database that run out, for a limit of rate that answers 429.',
  run: async (context) => {
    const callbacks = Array.from({ length: atOnce }, () => context.createCallback());
    const results = await Promise.all(callbacks.map((callback) => context.post(callback)));
    return judgeAccepted(results.map((result, index) => ({ label: `number ${index + 1}`, result })));
  },
};

const atLast: Check = {
  name: 'takes the very first one again, after all others',
  why: 'The last retry comes 13 minutes after the first attempt, and one that is sent again by hand, days later.',
  fix: 'Answer 2xx for ids that you remember, and keep them for some days.',
  run: async (context) => judgeAccepted(await sendInOrder(context, [{ callback: context.firstAccepted() }])),
};

export const acceptsRepeats: CheckGroup = {
  name: 'takes them again, in any order, many at once',
  checks: [twice, reordered, parallel],
};

export const acceptsLast: CheckGroup = { name: 'in the end', checks: [atLast] };
