/** Reads the scenario files and texts that a test names, so that error messages show line and column. */
import { toMistaken } from './sandbox-error.ts';
import type { ScenarioInput } from './types.ts';

/**
 * Replaces files and YAML texts by the scenarios that they contain; returns names and objects unchanged.
 * @throws SandboxError that lists every mistake in a file or text
 */
export function readScenarios(
  given: readonly (string | ScenarioInput)[],
): Promise<readonly (string | ScenarioInput)[]> {
  return Promise.all(given.map((one) => (typeof one === 'string' && !isName(one) ? read(one) : one)));
}

/** Returns whether a text is a name: those contain no dots, slashes, braces or line breaks. */
function isName(text: string): boolean {
  return !/[./\\{\n]/.test(text);
}

async function read(textOrFile: string): Promise<ScenarioInput> {
  const { readScenarioFile, readText } = await import('../config/scenario-files.ts');
  const { entries, mistakes } = /\n|^\s*\{/.test(textOrFile)
    ? await readText(textOrFile, 'scenario', 'option')
    : await readScenarioFile(textOrFile, 'option');
  const [entry] = entries;
  if (!entry) throw toMistaken(mistakes);
  return entry.scenario;
}
