/** `field-sandbox check FILE…`: says everything that is wrong with scenario and profile files. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { nearest } from '../base/nearest.ts';
import { formatIssue, topKeys } from '../base/yaml-file.ts';
import { shippedProfile } from '../contract/profile.ts';
import { operationIds } from '../operations/index.ts';
import { applyProfileText } from '../operator-files.ts';
import { parseScenario } from '../scenarios/parse.ts';

const scenarioKeys = ['name', 'description', 'seed', 'rules', 'expect'];
const profileKeys = Object.keys(shippedProfile);

/** @returns 0 where all files are valid, else 1 */
export async function runCheck(files: readonly string[], print: (text: string) => void): Promise<number> {
  let mistakes = 0;
  for (const file of files) {
    const found = await checkFile(file);
    mistakes += found.length;
    print(found.length === 0 ? `${file}: valid\n` : `${found.join('\n')}\n`);
  }
  if (mistakes > 0) print(`${mistakes} ${mistakes === 1 ? 'mistake' : 'mistakes'}\n`);
  return mistakes === 0 ? 0 : 1;
}

async function checkFile(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    return [`${file}: can't be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`];
  }
  if (isProfile(text, file)) {
    const applied = await applyProfileText(text, file);
    return 'mistakes' in applied ? applied.mistakes : [];
  }
  const parsed = parseScenario(text, file, operationIds);
  return parsed.ok ? [] : parsed.issues.map((issue) => formatIssue(issue, text));
}

/** The keys at its top tell a profile from a scenario, misspelled ones too; where they don't, the file's name does. */
function isProfile(text: string, file: string): boolean {
  const keys = topKeys(text);
  const known = (names: readonly string[]) => keys.filter((key) => nearest(key, names) !== undefined).length;
  const more = known(profileKeys) - known(scenarioKeys);
  return more === 0 ? path.basename(file).includes('profile') : more > 0;
}
