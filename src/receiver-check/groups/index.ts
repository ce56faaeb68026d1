/** Every check of a receiver, in the order in which they are played: what might break it comes late. */
import type { Group } from '../check.ts';
import { readyForMore } from './ahead.ts';
import { answers } from './answers.ts';
import { bearsTheNetwork } from './network.ts';
import { refusesWhatIsNot } from './refuses.ts';
import { inTheEnd, takesAgain } from './repeats.ts';
import { takesWhatIsRight } from './takes.ts';

export const groups: readonly Group[] = [
  answers,
  takesWhatIsRight,
  readyForMore,
  takesAgain,
  refusesWhatIsNot,
  bearsTheNetwork,
  inTheEnd,
];
