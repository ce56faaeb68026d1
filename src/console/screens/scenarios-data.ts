/** The library of scenarios, and what is switched on for a project: read, and changed. */
import { ask, askAll, ofProject, Refusal, type Schemas } from '../data/client.ts';

export type Summary = Schemas['ScenarioSummary'];
export type Active = Schemas['ActiveScenarios'];

export function readLibrary(): Promise<readonly Summary[]> {
  return askAll<Summary>('/scenarios');
}

export function readScenario(name: string): Promise<Schemas['Scenario']> {
  return ask('GET', `/scenarios/${encodeURIComponent(name)}`);
}

export function readActive(project: string): Promise<Active> {
  return ask('GET', ofProject(project, '/scenarios'));
}

/** Switches on these and no others, the first to go first. */
export function putActive(project: string, scenarios: readonly string[]): Promise<Active> {
  return ask('PUT', ofProject(project, '/scenarios'), { scenarios });
}

/** Switches one on in front of the others; one that is on stays in its place, and begins anew. */
export async function switchOn(project: string, name: string): Promise<void> {
  const [{ scenarios }, library] = await Promise.all([readActive(project), readLibrary()]);
  const unknown = scenarios.find((one) => library.every((known) => known.name !== one));
  // The sandbox would refuse the whole list, and say only that there is none of that name.
  if (unknown !== undefined) {
    throw new Refusal(409, `${unknown} is switched on for ${project} and not in the library: switch it off first.`);
  }
  await putActive(project, scenarios.includes(name) ? scenarios : [name, ...scenarios]);
}

export async function switchOff(project: string, name: string): Promise<void> {
  const { scenarios } = await readActive(project);
  await putActive(
    project,
    scenarios.filter((other) => other !== name),
  );
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
