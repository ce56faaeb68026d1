/** Loads scenarios from files and folders, reports every error in them, and watches a folder for changes. */

import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTextFile, toReadReason } from '../lib/text-file.ts';
import { timers } from '../lib/timers.ts';
import type { LibraryEntry, LibrarySource } from '../scenarios/library.ts';

/** The valid scenarios, and printable messages about the invalid ones. */
export interface ReadScenarios {
  readonly entries: readonly LibraryEntry[];
  readonly mistakes: readonly string[];
}

/** Parses the text of one scenario. The parser and its schema load on first use. */
export async function readText(text: string, file: string, source: LibrarySource): Promise<ReadScenarios> {
  const { parseScenario } = await import('../scenarios/parse.ts');
  const parsed = parseScenario(text, file);
  if (parsed.ok) {
    const { scenario } = parsed;
    return { entries: [{ name: scenario.name, source, text, scenario }], mistakes: [] };
  }
  const { formatIssue } = await import('../diagnostics/yaml-file.ts');
  return { entries: [], mistakes: parsed.issues.map((issue) => formatIssue(issue, text)) };
}

/** Loads one scenario file. */
export async function readScenarioFile(file: string, source: LibrarySource): Promise<ReadScenarios> {
  const read = await readTextFile(file);
  if ('reason' in read) return { entries: [], mistakes: [`${file}: ${read.reason}`] };
  return readText(read.text, file, source);
}

/** Loads all `*.yaml`, `*.yml` and `*.json` files of a folder. Two scenarios with the same name are a mistake. */
export async function readFolder(folder: string): Promise<ReadScenarios> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  } catch (error) {
    return { entries: [], mistakes: [`${folder}: ${toReadReason(error, 'folder')}`] };
  }
  const read = await Promise.all(names.map((name) => readScenarioFile(path.join(folder, name), 'folder')));
  const entries = read.flatMap((one) => one.entries);
  const duplicates = entries.filter(({ name }, index) => entries.findIndex((other) => other.name === name) < index);
  const mistakes = duplicates.map(({ name }) => `${folder}: several files define the scenario "${name}"`);
  const unique = entries.filter(({ name }) => !duplicates.some((other) => other.name === name));
  return { entries: unique, mistakes: [...read.flatMap((one) => one.mistakes), ...mistakes] };
}

/** How long to wait until a folder that was removed is looked for again. */
const missingMs = 1000;

/**
 * Watches a folder: calls `changed` 50 ms after the last change of its files. Returns a function that stops watching.
 * Calls `failed` once if watching fails, for example because the system has no inotify instance left.
 */
export function watchFolder(
  folder: string,
  changed: () => void,
  failed: (error: NodeJS.ErrnoException) => void,
  watchWith: typeof watch = watch,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  const stop = (): void => {
    timers.clearTimeout(timer);
    watcher?.close();
    watcher = undefined;
  };
  const fail = (error: NodeJS.ErrnoException): void => {
    stop();
    failed(error);
  };
  // After each change, the folder may be another one of its name, or none until it is created again.
  const begin = (cause?: 'changed' | 'missing'): void => {
    watcher?.close();
    let isMissing = false;
    try {
      watcher = watchWith(folder, { persistent: false }, () => {
        timers.clearTimeout(timer);
        timer = timers.setTimeout(begin, 50, 'changed').unref();
      });
      // A second error of the same watcher is not reported; without a listener it would end the process.
      watcher.once('error', fail).on('error', () => undefined);
    } catch (error) {
      isMissing = cause !== undefined && (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isMissing) timer = timers.setTimeout(begin, missingMs, 'missing').unref();
      else fail(error as NodeJS.ErrnoException);
    }
    if (cause === 'changed' || (cause && !isMissing)) changed();
  };
  begin();
  return stop;
}
