/** Adds the file of a sweep to the coverage, and makes a report without a sandbox. */
import { ConfigError, readProfile } from '../../config/config-files.ts';
import { addSweep, findUnlisted } from '../../coverage/add-sweep.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { createEmptyCoverage } from '../../empty-coverage.ts';
import { readTextFile } from '../../lib/text-file.ts';
import { type Operation, operationIds, operations } from '../../operations/index.ts';
import { parseSweepText } from '../../sweep-report/parse.ts';
import type { SweepReport } from '../../sweep-report/report.ts';

/** Reads the file of `--sweep`. Returns the report of the sweep, or its mistakes. */
export async function readSweep(file: string): Promise<SweepReport | readonly string[]> {
  const read = await readTextFile(file);
  if ('reason' in read) return [`--sweep: ${file}: ${read.reason}`];
  const parsed = parseSweepText(read.text);
  return 'report' in parsed ? parsed.report : parsed.mistakes.map((mistake) => `--sweep: ${file}: ${mistake}`);
}

/** Lists what can be covered with a profile. Returns the report, or the mistakes of the profile or the globs. */
export async function listCoverage(
  profile: string | undefined,
  operation: string | undefined,
): Promise<CoverageReport | readonly string[]> {
  try {
    const report = createEmptyCoverage(await readProfile(profile), operation);
    return typeof report === 'string' ? [`--operation: ${report}`] : report;
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

/** A coverage report with a sweep, and a warning if it does not have some failures of the sweep. */
export interface SweptCoverage {
  readonly report: CoverageReport;
  readonly warning: string | undefined;
}

export function addSweepTo(report: CoverageReport, sweep: SweepReport): SweptCoverage {
  const unlisted = findUnlisted(report, sweep, callbackTypeOf);
  const [first] = unlisted;
  const warning =
    first &&
    `--sweep: ${unlisted.length} of ${sweep.cases.length} cases do not count, such as ${first.case}: ` +
      'the sweep had another profile; without --url, set it with --profile';
  return { report: addSweep(report, sweep, callbackTypeOf), warning };
}

function callbackTypeOf(name: string): string | undefined {
  const id = operationIds.find((one) => one === name);
  const operation: Operation | undefined = id && operations[id];
  return operation?.callbackType;
}
