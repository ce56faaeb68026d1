/** Loads what the editor needs: the scenario, the library, the operations, and the schema. */
import { ApiError, callApi, type Schemas } from '../../../data/client.ts';
import { readActiveScenario, readCatalog, readLibrary, type Summary } from '../data.ts';
import type { Schema } from '../schema.ts';

export interface Opened {
  readonly text: string;
  /** The source of the library, or `inline`: it is active, but the library does not have it. */
  readonly source: string;
}

export interface LoadedText {
  readonly library: readonly Summary[];
  /** The opened scenario; undefined for a new one, or if there is none with this name. */
  readonly found: Opened | undefined;
}

export async function loadText(name: string, project: string | undefined): Promise<LoadedText> {
  const library = await readLibrary();
  const isInLibrary = library.some((one) => one.name === name);
  const found = name === 'new' ? undefined : await (isInLibrary ? readStored(name) : readInline(name, project));
  return { library, found };
}

/** What the form offers, and how the editor completes. It changes only with a restart of the sandbox. */
export interface LoadedHelp {
  readonly operations: readonly Schemas['CatalogOperation'][];
  readonly schema: Schema;
}

export async function loadHelp(): Promise<LoadedHelp> {
  const [operations, schema] = await Promise.all([readCatalog(), callApi<Schema>('GET', '/scenario.schema.json')]);
  return { operations, schema };
}

function readStored(name: string): Promise<Opened | undefined> {
  return unlessMissing(callApi<Schemas['Scenario']>('GET', `/scenarios/${encodeURIComponent(name)}`));
}

/** Reads a scenario that is active without being in the library. */
async function readInline(name: string, project: string | undefined): Promise<Opened | undefined> {
  if (project === undefined) return undefined;
  const active = await unlessMissing(readActiveScenario(project, name));
  if (!active) return undefined;
  const { toYaml } = await import('../form/change-text.ts');
  return { text: toYaml(active), source: 'inline' };
}

async function unlessMissing<Value>(loading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await loading;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
