/** `field-sandbox check FILE…`: reports all mistakes in scenario, profile and overlay files, and rules that can never fire. */
import path from 'node:path';
import { applyProfileText, checkOverlayText } from '../config/config-files.ts';
import { formatIssue, moreToCome, topKeys } from '../diagnostics/yaml-file.ts';
import { formatCount } from '../lib/format.ts';
import { nearest } from '../lib/nearest.ts';
import { runAll } from '../lib/slices.ts';
import { readTextFile } from '../lib/text-file.ts';
import { shippedProfile } from '../openapi/profile/profile.ts';
import { checkText } from '../scenarios/parse.ts';
import { type Io, printTo } from './frame/io.ts';

const scenarioKeys = ['name', 'description', 'seed', 'rules', 'expect'];
const profileKeys = Object.keys(shippedProfile);

/** @returns 0 if all files are valid, despite warnings, otherwise 1 */
export async function runCheck(files: readonly string[], { stdout }: Pick<Io, 'stdout'>): Promise<number> {
  const print = printTo(stdout);
  let mistakes = 0;
  let isCut = false;
  for (const file of files) {
    const { mistakes: found, warnings = [] } = await checkFile(file);
    mistakes += found.length;
    isCut ||= found.some((mistake) => mistake.includes(moreToCome));
    const summary = warnings.length === 0 ? 'valid' : `valid, with ${formatCount(warnings.length, 'warning')}`;
    print(`${(found.length > 0 ? found : [...warnings, `${file}: ${summary}`]).join('\n')}\n`);
  }
  if (mistakes > 0) print(`${formatCount(mistakes, 'mistake')}${isCut ? ' or more' : ''}\n`);
  return mistakes === 0 ? 0 : 1;
}

async function checkFile(file: string) {
  const read = await readTextFile(file);
  if ('reason' in read) {
    const isFolder = read.code === 'EISDIR';
    const reason = isFolder ? `is a folder; pass the files in it, such as ${path.join(file, '*.yaml')}` : read.reason;
    return { mistakes: [`${file}: ${reason}`] };
  }
  const { text } = read;
  if (topKeys(text).some((key) => key === 'overlay')) return { mistakes: await checkOverlayText(text, file) };
  if (isProfile(text, file)) {
    const applied = await applyProfileText(text, file);
    return { mistakes: 'mistakes' in applied ? applied.mistakes : [] };
  }
  const { errors, warnings } = runAll(checkText(text, file));
  return {
    mistakes: errors.map((issue) => formatIssue(issue, text)),
    warnings: warnings.map((issue) => formatIssue(issue, text, 'warning')),
  };
}

/** Distinguishes a profile from a scenario by its top-level keys, even misspelled, or else by the file's name. */
function isProfile(text: string, file: string): boolean {
  const keys = topKeys(text);
  const countSimilar = (names: readonly string[]) => keys.filter((key) => nearest(key, names) !== undefined).length;
  const difference = countSimilar(profileKeys) - countSimilar(scenarioKeys);
  return difference === 0 ? path.basename(file).includes('profile') : difference > 0;
}
