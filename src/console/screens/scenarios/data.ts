/** Reads and changes the scenario library and the active scenarios of a project. */
import { ApiError, callApi, listAll, projectPath, type Schemas } from '../../data/client.ts';
import type { InlineScenario } from './schema.ts';

export type Summary = Schemas['ScenarioSummary'];
export type Active = Schemas['ActiveScenarios'];
export type ServerScenarios = Schemas['ServerScenarios'];

export function readLibrary(): Promise<readonly Summary[]> {
  return listAll<Summary>('/scenarios');
}

export function readCatalog(): Promise<readonly Schemas['CatalogOperation'][]> {
  return callApi<Schemas['Catalog']>('GET', '/catalog').then(({ items }) => items);
}

export function readActive(project: string): Promise<Active> {
  return callApi('GET', projectPath(project, '/scenarios'));
}

/** Returns the scenarios that are active for all projects; undefined if only an admin may see and change them. */
export async function readServerScenarios(): Promise<ServerScenarios | undefined> {
  try {
    return await callApi<ServerScenarios>('GET', '/server-scenarios');
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** Reads a scenario as it is active, also if it was given inline. Secrets in its conditions are masked. */
export function readActiveScenario(project: string, name: string): Promise<InlineScenario> {
  return callApi('GET', projectPath(project, `/scenarios/${encodeURIComponent(name)}`));
}

/** Activates exactly these scenarios. Earlier ones have priority. */
export function putActive(project: string, scenarios: readonly (string | InlineScenario)[]): Promise<Active> {
  return callApi('PUT', projectPath(project, '/scenarios'), { scenarios });
}

/** Activates exactly these scenarios for all projects. */
function putServerScenarios(scenarios: readonly (string | InlineScenario)[]): Promise<ServerScenarios> {
  return callApi('PUT', '/server-scenarios', { scenarios });
}

/**
 * Activates a scenario, with priority over the others, or deactivates it. Without a project this applies to all
 * projects. It reads the list first, because another client may have changed it. A new version replaces an active one.
 * Returns what the user needs to know of the others.
 */
export async function setScenarioActive(
  project: string | undefined,
  scenario: string | InlineScenario,
  on: boolean,
): Promise<string> {
  const name = typeof scenario === 'string' ? scenario : scenario.name;
  const active = (await (project === undefined ? readServerScenarios() : readActive(project)))?.scenarios ?? [];
  const at = active.indexOf(name);
  const others = active.filter((other) => other !== name);
  const next = !on
    ? others
    : at < 0
      ? [scenario, ...others]
      : active.map((other) => (other === name ? scenario : other));
  await (project === undefined ? putServerScenarios(next) : putActive(project, next));
  return restartNote(others);
}

/** The sandbox counts all rules anew after each change, so that a rule that was used up fires again. */
export function restartNote(others: readonly string[]): string {
  return others.length === 0 ? '' : ' Counts of all rules start again.';
}

/** Saves a text in the library. */
export function save(name: string, text: string): Promise<Summary> {
  return callApi('PUT', `/scenarios/${encodeURIComponent(name)}`, text, 'application/yaml');
}

export function remove(name: string): Promise<void> {
  return callApi('DELETE', `/scenarios/${encodeURIComponent(name)}`);
}

/** Lists the mistakes and warnings of a text, without storing it. */
export function check(text: string): Promise<Schemas['ScenarioCheck']> {
  return callApi('POST', '/scenario-checks', text, 'application/yaml');
}
