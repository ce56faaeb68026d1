/** Lists what a client can cover with a profile, without a running sandbox. */
import { createCallbackFormat } from './callbacks/format.ts';
import type { AppliedProfile } from './config/config-files.ts';
import { parseOperations, reportCoverage } from './control-api/coverage.ts';
import { createModes } from './core.ts';
import { createCoverage } from './coverage/coverage.ts';
import type { CoverageReport } from './coverage/report.ts';
import { createContract } from './openapi/contract.ts';
import { operationIds } from './operations/index.ts';
import { createLibrary } from './scenarios/library.ts';
import { shippedScenarios } from './scenarios/shipped.ts';

/**
 * Returns the report of a new sandbox with default options, for the operations that match a list of globs, or the
 * mistake in the globs.
 */
export function createEmptyCoverage(
  { profile, document }: AppliedProfile,
  globs: string | undefined,
): CoverageReport | string {
  const ids = globs === undefined ? operationIds : parseOperations(globs);
  if (typeof ids === 'string') return ids;
  const parts = {
    contract: createContract(document, profile.limits.depth),
    modeOf: createModes(profile),
    callbackFormat: createCallbackFormat(profile.callbacks, profile.bodies['callback']),
    library: createLibrary(shippedScenarios),
    magicIds: true,
    coverage: createCoverage(() => []),
  };
  return reportCoverage(parts, undefined, ids);
}
