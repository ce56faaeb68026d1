/** What every kind of measurement is, and what it is given. */
import type { Peer } from './peers.ts';
import type { Progress } from './progress.ts';
import type { Row } from './row.ts';
import type { Servers } from './servers.ts';

/** What a measurement works with. */
export interface Bench extends Pick<Progress, 'say' | 'warn'> {
  /** How often each thing is measured. */
  readonly rounds: number;
  readonly servers: Servers;
  /** For files; removed at the end. */
  readonly folder: string;
  /** Other mock servers to be measured beside the sandbox. */
  readonly peers: readonly Peer[];
}

/** Something that can be measured alone. */
export interface Measurement {
  /** What `--only` finds it by. */
  readonly name: string;
  run(bench: Bench): Promise<readonly Row[]>;
}
