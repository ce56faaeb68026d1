/** Shows how far the search is: a line in a terminal, and each smaller scenario as it is found. */
import { extendEnvironment } from '../../config/options.ts';
import type { WallClock } from '../../lib/time.ts';
import { showProgress } from '../output/progress.ts';
import { count } from '../output/text.ts';
import type { ShrinkEvents } from './run-rules.ts';

const printError = (text: string): void => void process.stderr.write(text);

/** Starts to show the progress of shrinking a scenario for this command. */
export function createProgress(
  wall: WallClock,
  command: string,
): { readonly events: ShrinkEvents; readonly hide: () => void } {
  let current = '';
  printError(`field-sandbox shrink: ${command}\n`);
  const startedMs = wall.elapsed();
  const toText = (): string => `field-sandbox: ${current}, ${((wall.elapsed() - startedMs) / 1000).toFixed(1)} s`;
  const hide = showProgress(process.stderr, wall, toText, extendEnvironment({})['TERM']);
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
