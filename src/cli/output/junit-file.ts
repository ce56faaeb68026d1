/** Writes the JUnit XML files of the commands. */

import type { Options } from '../../config/option-table.ts';
import type { Suite } from './junit.ts';
import { writeReport } from './report-file.ts';
import { hideSecrets } from './shown.ts';

/** First text of every such file, by which an older report is recognized. */
export const junitBeginning = '<?xml';

/** Writes suites as JUnit XML. @returns why the file could not be written, or undefined */
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
