/** Adds the file of a sweep to the coverage, and makes a report without a sandbox. */
import { createCallbackFormat } from '../../callbacks/format.ts';
import { ConfigError } from '../../config/config-error.ts';
import { readProfile } from '../../config/config-files.ts';
import { parseOperations, reportCoverage } from '../../control-api/coverage.ts';
import { createModes } from '../../core.ts';
import { addSweep, findUnlisted } from '../../coverage/add-sweep.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { readTextFile } from '../../lib/text-file.ts';
import { createContract } from '../../openapi/contract.ts';
import { type Operation, operationIds, operations } from '../../operations/index.ts';
import { createLibrary } from '../../scenarios/library.ts';
import { shippedScenarios } from '../../scenarios/shipped.ts';
import { parseSweepText } from '../../sweep-report/parse.ts';
import type { SweepReport } from '../../sweep-report/report.ts';

/** Reads the file of `--sweep`. Returns the report of the sweep, or its mistakes. */
export async function readSweep(file: string): Promise<SweepReport | readonly string[]> {
  const read = await readTextFile(file);
  if ('reason' in read) return [`--sweep: ${file}: ${read.reason}`];
  const parsed = parseSweepText(read.text);
  return 'report' in parsed ? parsed.report : parsed.mistakes.map((mistake) => `--sweep: ${file}: ${mistake}`);
}

/** Lists what a client can cover with a profile, without a sandbox. Returns the report, or the mistakes of profile or globs. */
export async function listCoverage(
  profile: string | undefined,
  operation: string | undefined,
): Promise<{ readonly report: CoverageReport } | { readonly mistakes: readonly string[] }> {
  const ids = operation === undefined ? operationIds : parseOperations(operation);
  try {
    const { profile: applied, document } = await readProfile(profile);
    if (typeof ids === 'string') return { mistakes: [`--operation: ${ids}`] };
    const parts = {
      contract: createContract(document, applied.limits.depth),
      modeOf: createModes(applied),
      callbackFormat: createCallbackFormat(applied.callbacks, applied.bodies['callback']),
      library: createLibrary(shippedScenarios),
      magicIds: true,
    };
    return { report: reportCoverage(parts, new Map(), ids) };
  } catch (error) {
    if (error instanceof ConfigError) return error;
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
