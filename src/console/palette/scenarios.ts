/** The scenarios of the library, and which of them are active for a project. */
import { callApi, listAll, projectPath, type Schemas } from '../data/client.ts';

export interface ScenarioState {
  readonly name: string;
  readonly isActive: boolean;
  readonly set: (on: boolean) => Promise<unknown>;
}

export async function loadScenarios(project: string): Promise<readonly ScenarioState[]> {
  const path = projectPath(project, '/scenarios');
  const [library, { scenarios: active }] = await Promise.all([
    listAll<Schemas['ScenarioSummary']>('/scenarios'),
    callApi<Schemas['ActiveScenarios']>('GET', path),
  ]);
  return library.map(({ name }) => ({
    name,
    isActive: active.includes(name),
    // Another client may have changed the list meanwhile.
    set: async (on) => {
      const { scenarios } = await callApi<Schemas['ActiveScenarios']>('GET', path);
      const others = scenarios.filter((other) => other !== name);
      return callApi('PUT', path, { scenarios: on ? [name, ...others] : others });
    },
  }));
}
