/** Adds the file of a sweep to the coverage, and makes a report without a sandbox. */
import { createCallbackFormat } from '../../callbacks/format.ts';
import { ConfigError } from '../../config/config-error.ts';
import { readProfile } from '../../config/config-files.ts';
import { parseOperations, reportCoverage } from '../../control-api/coverage.ts';
import { createModes } from '../../core.ts';
import { addSweep, findUnlisted } from '../../coverage/add-sweep.ts';
import type { CoverageReport } from '../../coverage/report.ts';
import { createContract } from '../../openapi/contract.ts';
import { type Operation, operationIds, operations } from '../../operations/index.ts';
import { Library } from '../../scenarios/library.ts';
import { shippedScenarios } from '../../scenarios/shipped.ts';
import { readSweepFile } from '../../sweep-report/parse.ts';
import type { SweepReport } from '../../sweep-report/report.ts';

/** Reads the file of `--sweep`. @throws ConfigError */
export async function readSweep(file: string): Promise<SweepReport> {
  const parsed = await readSweepFile(file);
  if ('report' in parsed) return parsed.report;
  throw new ConfigError(parsed.mistakes.map((mistake) => `--sweep: ${file}: ${mistake}`));
}

/** Lists what a client can cover with a profile, without a sandbox. @throws ConfigError */
export async function listCoverage(
  profile: string | undefined,
  operation: string | undefined,
): Promise<CoverageReport> {
  const { profile: applied, document } = await readProfile(profile);
  const ids = operation === undefined ? operationIds : parseOperations(operation);
  if (typeof ids === 'string') throw new ConfigError([`--operation: ${ids}`]);
  const parts = {
    contract: createContract(document, applied.limits.depth),
    modeOf: createModes(applied),
    callbackFormat: createCallbackFormat(applied.callbacks, applied.bodies['callback']),
    library: new Library(shippedScenarios),
    magicIds: true,
  };
  return reportCoverage(parts, new Map(), ids);
}

/** Adds a sweep to a report. `warning`: the report does not have some failures of the sweep. */
export function addSweepTo(
  report: CoverageReport,
  sweep: SweepReport,
): { readonly report: CoverageReport; readonly warning: string | undefined } {
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
