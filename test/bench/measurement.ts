/** A measurement, and what it works with. */
import type { Progress } from './progress.ts';
import type { Row } from './row.ts';
import type { Servers } from './servers.ts';

/** What a measurement works with. */
export interface Bench extends Pick<Progress, 'say'> {
  /** The number of rounds. */
  readonly rounds: number;
  readonly servers: Servers;
  /** For files; removed at the end. */
  readonly folder: string;
}

/** Plays a round that only warms up, and then all others; returns what those came to. */
export async function playRounds<Result>(
  { rounds, say }: Pick<Bench, 'rounds' | 'say'>,
  what: string,
  play: (round: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    say(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    const result = await play(round);
    if (round > 0) results.push(result);
  }
  return results;
}

/** A measurement that can run alone. */
export interface Measurement {
  /** The name that `--only` selects by. */
  readonly name: string;
  run(bench: Bench): Promise<readonly Row[]>;
}
