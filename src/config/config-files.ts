/** Loads the profile and the scenarios that the options name, and reports every error in them. */
import path from 'node:path';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../lib/json.ts';
import { readTextFile, toReadReason } from '../lib/text-file.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from '../openapi/api-document.ts';
import { applyProfile } from '../openapi/document.ts';
import type { Overlaid, OverlayFile } from '../openapi/profile/overlay/apply-overlays.ts';
import { parameterNames } from '../openapi/profile/places.ts';
import { type OperationFacts, type Profile, shippedProfile } from '../openapi/profile/profile.ts';
import { hasMessage, operationIds, operations } from '../operations/index.ts';
import { Library } from '../scenarios/library.ts';
import { shippedScenarios } from '../scenarios/shipped.ts';
import { ConfigError } from './config-error.ts';
import type { Options } from './option-table.ts';
import { type ReadScenarios, readFolder, readScenarioFile, readText, watchFolder } from './scenario-files.ts';

/** A profile, and the OpenAPI document with the profile applied. */
export interface AppliedProfile {
  readonly profile: Profile;
  readonly document: ApiDocument;
  /** The overlays of the profile, for recordings. */
  readonly overlays?: readonly OverlayFile[];
}

/**
 * Loads a profile file merged over the shipped profile, or the shipped profile if no file is given.
 * @throws {ConfigError} if the file cannot be read or is invalid
 */
export async function readProfile(file: string | undefined): Promise<AppliedProfile> {
  if (file === undefined)
    return { profile: shippedProfile, document: applyProfile(apiSource as ApiDocument, shippedProfile) };
  const read = await readTextFile(file);
  if ('reason' in read) throw new ConfigError([`${file}: ${read.reason}`]);
  const applied = await applyProfileText(read.text, file);
  if ('mistakes' in applied) throw new ConfigError(applied.mistakes);
  return applied;
}

/**
 * Applies the text of a profile, or returns its mistakes. Reads its overlays relative to its own folder, unless they are
 * given.
 */
export async function applyProfileText(
  text: string,
  file: string,
  overlays?: readonly OverlayFile[],
): Promise<AppliedProfile | { readonly mistakes: readonly string[] }> {
  const { overlayNames, parseProfile } = await import('../openapi/profile/profile-file.ts');
  const { formatIssue } = await import('../diagnostics/yaml-file.ts');
  const names = overlayNames(text);
  const overlaid = names.length === 0 ? undefined : await readOverlays(names, text, file, overlays);
  const source = overlaid?.document ?? (apiSource as ApiDocument);
  const parsed = parseProfile(text, file, operationFacts(source), source);
  const mistakes = parsed.ok ? [] : parsed.issues.map((issue) => formatIssue(issue, text));
  if (!parsed.ok || (overlaid && overlaid.unread.length + overlaid.mistakes.length > 0)) {
    return { mistakes: [...(overlaid?.unread ?? []), ...mistakes, ...(overlaid?.mistakes ?? [])] };
  }
  try {
    const document = applyProfile(source, parsed.profile);
    return { profile: parsed.profile, document, ...(overlaid && { overlays: overlaid.files }) };
  } catch (error) {
    return { mistakes: [`${file}: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

/** Reads overlay files and applies them to the API document. */
async function readOverlays(
  names: readonly string[],
  text: string,
  file: string,
  given: readonly OverlayFile[] | undefined,
): Promise<Overlaid & { readonly files: readonly OverlayFile[]; readonly unread: readonly string[] }> {
  const { applyOverlays } = await import('../openapi/profile/overlay/apply-overlays.ts');
  const { formatIssue, locateValues } = await import('../diagnostics/yaml-file.ts');
  const files: OverlayFile[] = [];
  const unread: string[] = [];
  for (const [index, name] of names.entries()) {
    const read =
      given?.find((one) => one.name === name) ??
      (given ? { reason: 'missing' } : await readTextFile(path.resolve(path.dirname(file), name)));
    if ('text' in read) files.push({ name, text: read.text });
    else {
      const findings = [{ path: ['overlays', index], message: `overlay ${JSON.stringify(name)}: ${read.reason}` }];
      unread.push(...locateValues(text, file, findings).map((issue) => formatIssue(issue, text)));
    }
  }
  const shown = files.map((one) => ({
    ...one,
    name: given ? `${file}: ${one.name}` : path.join(path.dirname(file), one.name),
  }));
  const { document, mistakes } = applyOverlays(apiSource as ApiDocument, shown);
  return { document, files, unread, mistakes };
}

/** Checks an overlay by itself: returns the mistakes of applying it to the API document. */
export async function checkOverlayText(text: string, file: string): Promise<readonly string[]> {
  const { applyOverlays } = await import('../openapi/profile/overlay/apply-overlays.ts');
  return applyOverlays(apiSource as ApiDocument, [{ name: file, text }]).mistakes;
}

/** Returns what a profile may change about each operation of a document, by operationId. */
export function operationFacts(document: ApiDocument = apiSource as ApiDocument): ReadonlyMap<string, OperationFacts> {
  const found = [...eachOperation(document)].flatMap(({ path, method, operation }) => {
    const id = operationIds.find((one) => one === operation['operationId']);
    if (id === undefined) return [];
    const canBeAsync = operations[id].callbackType !== undefined;
    const fields = Object.keys((resolve(document, bodySchema(operation) ?? {})['properties'] ?? {}) as Json);
    const shown = [...fields.filter((name) => name !== 'password'), 'createdAt', 'updatedAt'];
    const resultFields = hasMessage(operations[id]) ? shown : undefined;
    const place = { path, method: method.toUpperCase(), parameters: parameterNames(path) };
    return [[id, { ...place, fields, canBeAsync, resultFields }] as const];
  });
  return new Map(found);
}

/**
 * Loads the scenario library, and the names of the scenarios that are active in all projects.
 * @throws {ConfigError} if a scenario cannot be read or is invalid
 */
export async function readScenarios(options: Options): Promise<{ library: Library; active: readonly string[] }> {
  const library = new Library(shippedScenarios);
  const mistakes: string[] = [];
  const active: string[] = [];
  const add = (read: ReadScenarios): void => {
    mistakes.push(...read.mistakes);
    for (const entry of read.entries) library.put(entry);
  };
  if (options.scenarioDir !== undefined) add(await readFolder(options.scenarioDir));
  if (options.scenarioYaml !== undefined) {
    const read = await readText(options.scenarioYaml, 'SANDBOX_SCENARIO_YAML', 'option');
    add(read);
    active.push(...read.entries.map(({ name }) => name));
  }
  for (const nameOrFile of options.scenarios) {
    if (library.find(nameOrFile)) {
      active.push(nameOrFile);
      continue;
    }
    const read = await readNamed(nameOrFile, library);
    mistakes.push(...findDuplicates(nameOrFile, read, library));
    add(read);
    active.push(...read.entries.map(({ name }) => name));
  }
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { library, active };
}

/** Reads a scenario by its file, as inline JSON, or reports that no scenario has this name. */
async function readNamed(nameOrFile: string, library: Library): Promise<ReadScenarios> {
  // Inline JSON: no file name begins with a brace.
  if (nameOrFile.startsWith('{')) return readText(nameOrFile, 'scenario', 'option');
  if (/[./\\]/.test(nameOrFile)) return readScenarioFile(nameOrFile, 'option');
  const { didYouMean } = await import('../lib/nearest.ts');
  const names = library.list().map(({ name }) => name);
  const suggestion = didYouMean(nameOrFile, names);
  const mistake = `--scenario: there is no scenario "${nameOrFile}"${suggestion}; available: ${names.join(', ')}`;
  return { entries: [], mistakes: [mistake] };
}

function findDuplicates(nameOrFile: string, { entries }: ReadScenarios, library: Library): readonly string[] {
  return entries
    .filter(({ name }) => library.find(name)?.source === 'option')
    .map(({ name }) => `--scenario: ${nameOrFile} has the same name as another scenario of this option, "${name}"`);
}

/**
 * Reloads the scenario folder when it changes. An invalid scenario keeps its old version. Returns a function that stops
 * watching.
 */
export function watchScenarios({ scenarioDir }: Options, library: Library, warn: (text: string) => void): () => void {
  if (scenarioDir === undefined) return () => undefined;
  async function reload(folder: string): Promise<void> {
    const { entries, mistakes } = await readFolder(folder);
    for (const mistake of mistakes) warn(mistake);
    for (const entry of entries) library.put(entry);
    // Any missing scenario may be in a file that cannot be read now, so none is removed.
    if (mistakes.length > 0) return;
    const names = new Set(entries.map(({ name }) => name));
    for (const { name } of library.list()) if (!names.has(name)) library.remove(name, 'folder');
  }

  // Reloads run one after another, so that the latest one wins.
  let latest = Promise.resolve();
  const changed = (): void => {
    latest = latest
      .then(() => reload(scenarioDir))
      .catch((error: unknown) => warn(`${scenarioDir}: ${toReadReason(error, 'folder')}`));
  };
  return watchFolder(scenarioDir, changed, ({ code, message }) =>
    warn(
      `--scenario-dir: cannot watch ${scenarioDir} (${code ?? message}); restart the sandbox after a change of its files`,
    ),
  );
}
