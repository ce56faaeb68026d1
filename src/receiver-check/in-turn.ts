/** Makes the attempts of a check one after another. */
import type { Letter, Manner, Play } from './check.ts';
import type { Step } from './judge.ts';

/** An attempt to come: which, at what, in what manner. */
export interface Turn {
  readonly what?: string;
  readonly letter: Letter;
  readonly manner?: Manner;
}

/** Ends where there is no answer, since each of the others might take as long. */
export async function inTurn(play: Play, turns: readonly Turn[]): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { what, letter, manner } of turns) {
    const answer = await play.post(letter, manner);
    steps.push({ ...(what !== undefined && { what }), answer });
    if ('error' in answer.outcome) break;
  }
  return steps;
}
