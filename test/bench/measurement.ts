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

/** A measurement that can run alone. */
export interface Measurement {
  /** The name that `--only` selects by. */
  readonly name: string;
  run(bench: Bench): Promise<readonly Row[]>;
}
