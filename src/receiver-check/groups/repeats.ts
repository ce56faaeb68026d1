/** Whether it takes callbacks as often, in whatever order and in as large a number as they come. */
import type { Check, Group } from '../check.ts';
import { inTurn } from '../in-turn.ts';
import { judgeTaken } from '../judge.ts';

const twice: Check = {
  name: 'takes the same one twice',
  why: 'Callbacks are sent at least once. A duplicate that is refused is sent again, and refused again.',
  mend: 'Remember webhook-id; answer 2xx for one that you have, and do nothing more.',
  play: async (play) => {
    const letter = play.letter();
    const turns = [
      { what: 'the first time', letter },
      { what: 'the second time', letter },
    ];
    return judgeTaken(await inTurn(play, turns));
  },
};

const minuteMs = 60_000;

const reordered: Check = {
  name: 'takes a later one before an earlier one',
  why: 'Retries and parallel sending put callbacks in any order. What comes late has to be taken all the same.',
  mend: 'Do not compare with the last timestamp before you answer; where order matters, compare when you work on it.',
  play: async (play) => {
    const earlier = play.letter({ agedMs: minuteMs, failed: [{ id: 'VERIFY-ORDER', reason: 'No capacity left' }] });
    const later = play.letter({ failed: [{ id: 'VERIFY-ORDER', reason: 'Address could not be geocoded' }] });
    const turns = [
      { what: 'the later one', letter: later },
      { what: 'the earlier one', letter: earlier },
    ];
    return judgeTaken(await inTurn(play, turns));
  },
};

const atOnce = 10;

const parallel: Check = {
  name: `takes ${atOnce} at once`,
  why: 'A large import fails in many places at the same time, and callbacks are sent beside each other.',
  mend: 'Look for locks, for connections to the database that run out, for a limit of rate that answers 429.',
  play: async (play) => {
    const letters = Array.from({ length: atOnce }, () => play.letter());
    const answers = await Promise.all(letters.map((letter) => play.post(letter)));
    return judgeTaken(answers.map((answer, index) => ({ what: `number ${index + 1}`, answer })));
  },
};

const atLast: Check = {
  name: 'takes the very first one again, after all others',
  why: 'The last retry comes 13 minutes after the first attempt, and one that is sent again by hand, days later.',
  mend: 'Answer 2xx for ids that you remember, and keep them for some days.',
  play: async (play) => judgeTaken(await inTurn(play, [{ letter: play.firstTaken() }])),
};

export const takesAgain: Group = {
  name: 'takes them again, in any order, many at once',
  checks: [twice, reordered, parallel],
};

export const inTheEnd: Group = { name: 'in the end', checks: [atLast] };
