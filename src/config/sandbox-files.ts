/** Reads and compiles the files that the options name: the profile with its overlays, and the scenarios. */

import { type Contract, createContract } from '../openapi/contract.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import type { Library } from '../scenarios/library.ts';
import { type AppliedProfile, readProfile, readScenarios } from './config-files.ts';
import type { Options } from './option-table.ts';

/** The parts of a sandbox that are read and compiled from its files. Several sandboxes can share them. */
export interface SandboxFiles {
  readonly applied: AppliedProfile;
  readonly contract: Contract;
  readonly library: Library;
  /** Scenarios that are active in all projects, highest precedence first. */
  readonly serverScenarios: readonly CompiledScenario[];
}

/**
 * Reads the files that the options name.
 * @throws ConfigError that lists every mistake in the profile and the scenarios
 */
export async function readSandboxFiles(options: Options): Promise<SandboxFiles> {
  const applied = await readProfile(options.profile);
  const { library, active } = await readScenarios(options);
  const compiled = await Promise.all(active.map((name) => library.compiled(name)));
  return {
    applied,
    contract: createContract(applied.document, applied.profile.limits.depth),
    library,
    serverScenarios: compiled.filter((scenario) => scenario !== undefined),
  };
}
