/** The file of a command's JUnit XML. */
import { toTimestamp } from '../base/time.ts';
import type { Options } from '../option-table.ts';
import type { Suite } from './junit.ts';
import type { Run } from './report.ts';
import { writeReport } from './report-file.ts';
import { hideSecrets } from './shown.ts';

/** How every such file begins. */
export const junitBeginning = '<?xml';

/** What a run came to. @returns why it could not be written */
export async function writeJunit(file: string, run: Run, options: Options): Promise<string | undefined> {
  const { toJunit } = await import('./junit.ts');
  return writeReport(
    file,
    toJunit(run, toProperties(options), (text) => hideSecrets(text, options)),
  );
}

/** What another command came to, under its name. @returns why it could not be written */
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

/** The options that make a run what it is, without addresses and secrets. */
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
