/** Reads the scenario files that a test names, so that error messages show line and column. */
import { createSandboxError } from './sandbox-error.ts';
import type { ScenarioInput } from './types.ts';

/**
 * Replaces files by the scenarios that they contain; returns names and objects unchanged.
 * @throws SandboxError that lists every mistake in a file
 */
export function readScenarios(
  given: readonly (string | ScenarioInput)[],
): Promise<readonly (string | ScenarioInput)[]> {
  return Promise.all(given.map((one) => (typeof one === 'string' && isFile(one) ? readFile(one) : one)));
}

/** Returns whether a text is a file: scenario names contain no dots or slashes. */
function isFile(nameOrFile: string): boolean {
  return /[./\\]/.test(nameOrFile);
}

async function readFile(file: string): Promise<ScenarioInput> {
  const { readScenarioFile } = await import('../config/scenario-files.ts');
  const { operationIds } = await import('../operations/index.ts');
  const { entries, mistakes } = await readScenarioFile(file, 'option', operationIds);
  const [entry] = entries;
  if (!entry) throw createSandboxError(mistakes.join('\n'));
  return entry.scenario;
}
