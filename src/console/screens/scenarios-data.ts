/** The library of scenarios, and what is switched on for a project: read, and changed. */
import { ask, askAll, ofProject, Refusal, type Schemas } from '../data/client.ts';

export type Summary = Schemas['ScenarioSummary'];
export type Active = Schemas['ActiveScenarios'];
export type ForAll = Schemas['ServerScenarios'];

export function readLibrary(): Promise<readonly Summary[]> {
  return askAll<Summary>('/scenarios');
}

export function readScenario(name: string): Promise<Schemas['Scenario']> {
  return ask('GET', `/scenarios/${encodeURIComponent(name)}`);
}

export function readActive(project: string): Promise<Active> {
  return ask('GET', ofProject(project, '/scenarios'));
}

/** What is switched on for all projects. */
export function readForAll(): Promise<ForAll> {
  return ask('GET', '/server-scenarios');
}

/** Switches on these and no others, the first to go first. */
export function putActive(project: string, scenarios: readonly string[]): Promise<Active> {
  return ask('PUT', ofProject(project, '/scenarios'), { scenarios });
}

/** Switches on these and no others for all projects. */
function putForAll(scenarios: readonly string[]): Promise<ForAll> {
  return ask('PUT', '/server-scenarios', { scenarios });
}

/**
 * Switches one on, in front of the others, or off; without a project for all of them. The list is read right before,
 * since others may have changed it.
 */
export async function flip(project: string | undefined, name: string, on: boolean): Promise<void> {
  const { scenarios } = await (project === undefined ? readForAll() : readActive(project));
  const others = scenarios.filter((other) => other !== name);
  const wanted = !on ? others : scenarios.includes(name) ? scenarios : [name, ...scenarios];
  await (project === undefined ? putForAll(wanted) : putActive(project, wanted));
}

/** Puts a text into the library. */
export function save(name: string, text: string): Promise<Summary> {
  return ask('PUT', `/scenarios/${encodeURIComponent(name)}`, text, 'application/yaml');
}

export function remove(name: string): Promise<void> {
  return ask('DELETE', `/scenarios/${encodeURIComponent(name)}`);
}

/** Why a scenario could not be read. */
export function toWhy(error: unknown, name: string): string {
  if (!(error instanceof Refusal)) return String(error);
  if (error.status !== 404) return error.message;
  return `The library has no scenario ${name}: it was deleted, or written out by whoever switched it on.`;
}
