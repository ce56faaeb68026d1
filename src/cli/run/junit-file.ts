/** Writes the JUnit XML files of the commands. */

import type { Options } from '../../config/option-table.ts';
import { toTimestamp } from '../../lib/time.ts';
import { hideSecrets } from '../shown.ts';
import type { Suite } from './junit.ts';
import type { RunSummary } from './report.ts';
import { writeReport } from './report-file.ts';

/** First text of every such file, by which an older report is recognized. */
export const junitBeginning = '<?xml';

/** Writes the results of a run. @returns why the file could not be written, or undefined */
export async function writeJunit(file: string, run: RunSummary, options: Options): Promise<string | undefined> {
  const { toJunit } = await import('./junit.ts');
  return writeReport(
    file,
    toJunit(run, toProperties(options), (text) => hideSecrets(text, options)),
  );
}

/** Writes the results of another command. @returns why the file could not be written, or undefined */
export async function writeSuites(
  file: string,
  name: string,
  suites: readonly Suite[],
  properties: Readonly<Record<string, string>>,
  options: Options,
): Promise<string | undefined> {
  const { toXml } = await import('./junit.ts');
  return writeReport(
    file,
    toXml(name, suites, properties, (text) => hideSecrets(text, options)),
  );
}

/** Returns the options that affect the results of a run, without addresses and secrets. */
function toProperties({
  seed,
  clock,
  strict,
  magicIds,
  scenarios,
  profile,
}: Options): Readonly<Record<string, string>> {
  return {
    seed,
    clock: clock.nowMs === undefined ? clock.mode : toTimestamp(clock.nowMs),
    strict: String(strict),
    magicIds: String(magicIds),
    ...(scenarios.length > 0 && { scenarios: scenarios.join(' ') }),
    ...(profile !== undefined && { profile }),
  };
}
