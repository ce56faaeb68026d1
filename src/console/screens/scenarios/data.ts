/** Reads and changes the scenario library and the active scenarios of a project. */
import { ApiError, callApi, listAll, projectPath, type Schemas } from '../../data/client.ts';

export type Summary = Schemas['ScenarioSummary'];
export type Active = Schemas['ActiveScenarios'];
export type ServerScenarios = Schemas['ServerScenarios'];

export function readLibrary(): Promise<readonly Summary[]> {
  return listAll<Summary>('/scenarios');
}

export function readScenario(name: string): Promise<Schemas['Scenario']> {
  return callApi('GET', `/scenarios/${encodeURIComponent(name)}`);
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

/** Activates exactly these scenarios. Earlier ones have priority. */
export function putActive(project: string, scenarios: readonly string[]): Promise<Active> {
  return callApi('PUT', projectPath(project, '/scenarios'), { scenarios });
}

/** Activates exactly these scenarios for all projects. */
function putServerScenarios(scenarios: readonly string[]): Promise<ServerScenarios> {
  return callApi('PUT', '/server-scenarios', { scenarios });
}

/**
 * Activates a scenario, with priority over the others, or deactivates it. Without a project this applies to all
 * projects. It reads the list first, because another client may have changed it.
 */
export async function setScenarioActive(project: string | undefined, name: string, on: boolean): Promise<void> {
  const scenarios = (await (project === undefined ? readServerScenarios() : readActive(project)))?.scenarios ?? [];
  const others = scenarios.filter((other) => other !== name);
  const next = !on ? others : scenarios.includes(name) ? scenarios : [name, ...scenarios];
  await (project === undefined ? putServerScenarios(next) : putActive(project, next));
}

/** Saves a text in the library. */
export function save(name: string, text: string): Promise<Summary> {
  return callApi('PUT', `/scenarios/${encodeURIComponent(name)}`, text, 'application/yaml');
}

export function remove(name: string): Promise<void> {
  return callApi('DELETE', `/scenarios/${encodeURIComponent(name)}`);
}
