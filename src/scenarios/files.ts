/** Reads scenarios from files and folders; tells of everything that is wrong with them, and watches a folder. */

import { watch } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LibraryEntry, Source } from './library.ts';

/** Scenario files, and what is wrong with those that can't be used, ready to be printed. */
export interface ReadScenarios {
  readonly entries: readonly LibraryEntry[];
  readonly mistakes: readonly string[];
}

/** One scenario's text. The parser and its schema are loaded only now. */
export async function readText(
  text: string,
  file: string,
  source: Source,
  operationIds: readonly string[],
): Promise<ReadScenarios> {
  const { parseScenario } = await import('./parse.ts');
  const parsed = parseScenario(text, file, operationIds);
  if (parsed.ok) {
    const { scenario } = parsed;
    return { entries: [{ name: scenario.name, source, text, scenario }], mistakes: [] };
  }
  const { formatIssue } = await import('../base/yaml-file.ts');
  return { entries: [], mistakes: parsed.issues.map((issue) => formatIssue(issue, text)) };
}

/** One scenario file. */
export async function readScenarioFile(
  file: string,
  source: Source,
  operationIds: readonly string[],
): Promise<ReadScenarios> {
  try {
    return await readText(await readFile(file, 'utf8'), file, source, operationIds);
  } catch (error) {
    return {
      entries: [],
      mistakes: [`${file}: can't be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`],
    };
  }
}

/** All `*.yaml`, `*.yml` and `*.json` files of a folder. Two of one name are a mistake. */
export async function readFolder(folder: string, operationIds: readonly string[]): Promise<ReadScenarios> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  } catch (error) {
    return {
      entries: [],
      mistakes: [`${folder}: can't be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`],
    };
  }
  const read = await Promise.all(
    names.map((name) => readScenarioFile(path.join(folder, name), 'folder', operationIds)),
  );
  const entries = read.flatMap((one) => one.entries);
  const twice = entries.filter(({ name }, index) => entries.findIndex((other) => other.name === name) < index);
  const mistakes = twice.map(({ name }) => `${folder}: two files have the scenario "${name}"`);
  return { entries, mistakes: [...read.flatMap((one) => one.mistakes), ...mistakes] };
}

/** Calls back some time after the folder's files changed; gives back what ends it. */
export function watchFolder(folder: string, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, { persistent: false }, () => {
    clearTimeout(timer);
    timer = setTimeout(changed, 50).unref();
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
