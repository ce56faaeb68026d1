/** Reads the scenario files that a test names, so that their mistakes are told with line and column. */
import { createSandboxError } from './sandbox-error.ts';
import type { Scenario } from './types.ts';

/** Names and scenarios as they are, files as the scenarios that they hold. @throws SandboxError with every mistake of a file */
export function readGiven(given: readonly (string | Scenario)[]): Promise<readonly (string | Scenario)[]> {
  return Promise.all(given.map((one) => (typeof one === 'string' && isFile(one) ? readFile(one) : one)));
}

/** Names of scenarios have neither dots nor slashes. */
function isFile(nameOrFile: string): boolean {
  return /[./\\]/.test(nameOrFile);
}

async function readFile(file: string): Promise<Scenario> {
  const { readScenarioFile } = await import('../scenarios/files.ts');
  const { operationIds } = await import('../operations/index.ts');
  const { entries, mistakes } = await readScenarioFile(file, 'option', operationIds);
  const [entry] = entries;
  if (!entry) throw createSandboxError(mistakes.join('\n'));
  return entry.scenario;
}
