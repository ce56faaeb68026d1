/** Reads the files that the operator gave, profile and scenarios, and tells of everything that is wrong with them. */
import { readFile } from 'node:fs/promises';
import apiSource from '../spec/openapi.yaml';
import { type ApiDocument, applyProfile, eachOperation } from './contract/document.ts';
import { type OperationFacts, type Profile, shippedProfile } from './contract/profile.ts';
import { operationIds, operations } from './operations/index.ts';
import type { Options } from './option-table.ts';
import { readFolder, readScenarioFile, readText, watchFolder } from './scenarios/files.ts';
import { createLibrary, type Library } from './scenarios/library.ts';
import { shippedScenarios } from './scenarios/shipped.ts';

/** Everything that is wrong with what the operator gave: files that can't be read, scenarios that can't be used. */
export class OperatorError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'));
    this.name = 'OperatorError';
    this.mistakes = mistakes;
  }
}

/** A profile and the API's document with it applied. */
export interface AppliedProfile {
  readonly profile: Profile;
  readonly document: ApiDocument;
}

/** The profile of a file over the shipped one, or the shipped one. @throws OperatorError */
export async function readProfile(file: string | undefined): Promise<AppliedProfile> {
  if (file === undefined)
    return { profile: shippedProfile, document: applyProfile(apiSource as ApiDocument, shippedProfile) };
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorError([`${file}: can't be read (${error.code})`]);
  });
  const applied = await applyProfileText(text, file);
  if ('mistakes' in applied) throw new OperatorError(applied.mistakes);
  return applied;
}

/** A profile's text applied, or all that is wrong with it; two operations moved to one place are a mistake, too. */
export async function applyProfileText(
  text: string,
  file: string,
): Promise<AppliedProfile | { readonly mistakes: readonly string[] }> {
  const { parseProfile } = await import('./contract/profile-file.ts');
  const parsed = parseProfile(text, file, operationFacts());
  if (!parsed.ok) {
    const { formatIssue } = await import('./base/yaml-file.ts');
    return { mistakes: parsed.issues.map((issue) => formatIssue(issue, text)) };
  }
  try {
    return { profile: parsed.profile, document: applyProfile(apiSource as ApiDocument, parsed.profile) };
  } catch (error) {
    return { mistakes: [`${file}: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

/** What a profile may do to each operation. */
export function operationFacts(): ReadonlyMap<string, OperationFacts> {
  const paths = new Map(
    [...eachOperation(apiSource as ApiDocument)].map(({ path, operation }) => [String(operation['operationId']), path]),
  );
  const found = operationIds.map((id) => {
    const parameters = [...(paths.get(id) ?? '').matchAll(/\{(.*?)\}/g)].map((match) => match[1] ?? '');
    return [id, { parameters, canBeAsync: operations[id].tells !== undefined }] as const;
  });
  return new Map(found);
}

/** The library, and the names of the scenarios that are switched on for all projects. */
export async function readScenarios(options: Options): Promise<{ library: Library; active: readonly string[] }> {
  const library = createLibrary(shippedScenarios);
  const mistakes: string[] = [];
  const active: string[] = [];
  const folder = options.scenarioDir === undefined ? undefined : await readFolder(options.scenarioDir, operationIds);
  for (const entry of folder?.entries ?? []) library.put(entry);
  mistakes.push(...(folder?.mistakes ?? []));
  const inline = options.scenarioYaml;
  if (inline !== undefined) {
    const read = await readText(inline, 'SANDBOX_SCENARIO_YAML', 'option', operationIds);
    mistakes.push(...read.mistakes);
    for (const entry of read.entries) {
      library.put(entry);
      active.push(entry.name);
    }
  }
  for (const nameOrFile of options.scenarios) {
    if (library.find(nameOrFile)) {
      active.push(nameOrFile);
      continue;
    }
    const read = await readNamed(nameOrFile, library);
    mistakes.push(...read.mistakes);
    for (const entry of read.entries) {
      if (library.find(entry.name)?.source === 'option') {
        mistakes.push(`${nameOrFile}: another scenario that was given has the name "${entry.name}" too`);
      }
      library.put(entry);
      active.push(entry.name);
    }
  }
  if (mistakes.length > 0) throw new OperatorError(mistakes);
  return { library, active };
}

async function readNamed(nameOrFile: string, library: Library): ReturnType<typeof readScenarioFile> {
  // Written out: no file's name begins so.
  if (nameOrFile.startsWith('{')) return readText(nameOrFile, 'scenario', 'option', operationIds);
  if (/[./\\]/.test(nameOrFile)) return readScenarioFile(nameOrFile, 'option', operationIds);
  const { didYouMean } = await import('./base/nearest.ts');
  const names = library.list().map(({ name }) => name);
  return {
    entries: [],
    mistakes: [
      `--scenario: there is no scenario "${nameOrFile}"${didYouMean(nameOrFile, names)}; there are ${names.join(', ')}`,
    ],
  };
}

/** Reads the folder again when it changes. What is not valid keeps its old version. */
export function watchScenarios({ scenarioDir }: Options, library: Library, remark: (text: string) => void): () => void {
  if (scenarioDir === undefined) return () => undefined;
  async function readAgain(folder: string): Promise<void> {
    const { entries, mistakes } = await readFolder(folder, operationIds);
    for (const mistake of mistakes) remark(mistake);
    for (const entry of entries) library.put(entry);
    // A file that can't be read now may be the home of any name that is missing.
    if (mistakes.length > 0) return;
    const names = new Set(entries.map(({ name }) => name));
    for (const { name } of library.list()) if (!names.has(name)) library.remove(name, 'folder');
  }

  // One after another, so that the latest reading is the one that counts.
  let latest = Promise.resolve();
  return watchFolder(scenarioDir, () => {
    latest = latest
      .then(() => readAgain(scenarioDir))
      .catch((error: unknown) => remark(`${scenarioDir}: can't be read (${String(error)})`));
  });
}
