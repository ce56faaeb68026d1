/** Declares the options with which a test starts a sandbox. */
import type { Options } from '../../config/option-table.ts';
import type { ScenarioInput } from '../types.ts';

/** Options of `startSandbox`: all options of the command line except `--json`. All are optional. */
export interface SandboxOptions extends Partial<Omit<Options, 'json' | 'clock' | 'scenarios' | 'apiKeys'>> {
  /** Clock of all projects: `real`, `frozen`, or a time to freeze at. */
  readonly clock?: string | Date;
  /** Active scenarios of all projects, highest priority first. Each is a name, a file or an object. */
  readonly scenarios?: readonly (string | ScenarioInput)[];
  /** API keys that the sandbox accepts: `KEY[@REGION][=PROJECT,…]`. The first one becomes `apiKey`. */
  readonly apiKeys?: readonly string[];
}
