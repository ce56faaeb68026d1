/** Shows how far the search is: a line in a terminal, and each smaller scenario as it is found. */
import type { WallClock } from '../../lib/time.ts';
import { type Io, printTo } from '../frame/io.ts';
import { showProgress } from '../output/progress.ts';
import { count } from '../output/text.ts';
import type { ShrinkEvents } from './run-rules.ts';

/** Starts to show the progress of shrinking a scenario for this command. */
export function createProgress(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  wall: WallClock,
  command: string,
): { readonly events: ShrinkEvents; readonly hide: () => void } {
  const printError = printTo(stderr);
  let current = '';
  printError(`field-sandbox shrink: ${command}\n`);
  const startedMs = wall.elapsed();
  const toText = (): string => `field-sandbox: ${current}, ${((wall.elapsed() - startedMs) / 1000).toFixed(1)} s`;
  const hide = showProgress(stderr, wall, toText, env['TERM']);
  return {
    hide,
    events: {
      began: (run, rules) => {
        current = `run ${run}, with ${count(rules, 'rule')}`;
      },
      found: (run, text) => printError(`run ${run}: ${text}\n`),
    },
  };
}
