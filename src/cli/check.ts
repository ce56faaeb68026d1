/** `field-sandbox check FILE…`: says everything that is wrong with scenario and profile files. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { nearest } from '../base/nearest.ts';
import { formatIssue, moreToCome, topKeys } from '../base/yaml-file.ts';
import { shippedProfile } from '../contract/profile.ts';
import { operationIds } from '../operations/index.ts';
import { applyProfileText } from '../operator-files.ts';
import { parseScenario } from '../scenarios/parse.ts';

const scenarioKeys = ['name', 'description', 'seed', 'rules', 'expect'];
const profileKeys = Object.keys(shippedProfile);

/** @returns 0 where all files are valid, else 1 */
export async function runCheck(files: readonly string[], print: (text: string) => void): Promise<number> {
  let mistakes = 0;
  let isCut = false;
  for (const file of files) {
    const found = await checkFile(file);
    mistakes += found.length;
    isCut ||= found.some((mistake) => mistake.includes(moreToCome));
    print(found.length === 0 ? `${file}: valid\n` : `${found.join('\n')}\n`);
  }
  if (mistakes > 0) print(`${mistakes} ${mistakes === 1 ? 'mistake' : 'mistakes'}${isCut ? ' or more' : ''}\n`);
  return mistakes === 0 ? 0 : 1;
}

async function checkFile(file: string): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR') return [`${file}: is a folder; name the files in it, such as ${path.join(file, '*.yaml')}`];
    return [`${file}: can't be read (${code ?? String(error)})`];
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
