/** What a test may start a sandbox with: types alone. */
import type { Options } from '../option-table.ts';
import type { Scenario } from './types.ts';

/** What a sandbox is started with. All that the command line has, but for `--json`; nothing of it is needed. */
export interface SandboxOptions extends Partial<Omit<Options, 'json' | 'clock' | 'scenarios' | 'apiKeys'>> {
  /** `real`, `frozen`, or an instant to freeze at; for all projects. */
  readonly clock?: string | Date;
  /** Switched on for all projects, the first before the others: names, files, or scenarios written out. */
  readonly scenarios?: readonly (string | Scenario)[];
  /** `KEY[@REGION][=PROJECT,…]`; the first is the one that clients are given. */
  readonly apiKeys?: readonly string[];
}
