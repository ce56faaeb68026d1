/** Loads all scenarios and failures, which of them are active, and how often each fired. */
import { callApi, projectPath, type Schemas } from '../../../data/client.ts';
import {
  type Active,
  readActive,
  readCatalog,
  readLibrary,
  readServerScenarios,
  type ServerScenarios,
  type Summary,
} from '../data.ts';

export interface LoadedList {
  readonly library: readonly Summary[];
  readonly catalog: readonly Schemas['CatalogOperation'][];
  /** The scenarios that are active for all projects; undefined if only an admin may see them. */
  readonly serverScenarios: ServerScenarios | undefined;
  /** The scenarios that are active for the project, if one is selected. */
  readonly active: Active | undefined;
  /** Number of requests in the journal on which a rule of a scenario fired, by scenario. */
  readonly fired: Readonly<Record<string, number>>;
}

export async function loadList(project: string | undefined): Promise<LoadedList> {
  const [library, catalog, serverScenarios, active, fired] = await Promise.all([
    readLibrary(),
    readCatalog(),
    readServerScenarios(),
    project === undefined ? undefined : readActive(project),
    countFired(project),
  ]);
  return { library, catalog, serverScenarios, active, fired };
}

async function countFired(project: string | undefined): Promise<LoadedList['fired']> {
  const query = '/requests?view=rows&counts=true&limit=1';
  const path = project === undefined ? query : projectPath(project, query);
  const { counts } = await callApi<Schemas['RequestRowPage']>('GET', path);
  return counts?.scenario ?? {};
}
