/** Reads the scenario of a row: from the row, the library, or the active scenarios. */
import { callApi, type Schemas } from '../../../data/client.ts';
import { readActiveScenario } from '../data.ts';
import type { InlineScenario } from '../schema.ts';
import type { Row } from './rows.ts';

type Read = Pick<Row, 'name' | 'source' | 'text'>;

/** Returns the text of a row, for a copy of it. */
export async function readText({ name, source, text }: Read, project: string | undefined): Promise<string> {
  if (text !== undefined) return text;
  if (source === 'inline') {
    const { toYaml } = await import('../form/change-text.ts');
    return toYaml(await readInline(name, project));
  }
  return (await callApi<Schemas['Scenario']>('GET', `/scenarios/${encodeURIComponent(name)}`)).text;
}

/** Returns what activates a row: its name only if the library has it, so that the library stays as it is. */
export async function toActivate(
  { name, source, text }: Read,
  project: string | undefined,
): Promise<string | InlineScenario> {
  if (text !== undefined) return (await import('../form/change-text.ts')).readScenario(text);
  if (source !== 'inline') return name;
  const scenario = await readInline(name, project);
  if (!JSON.stringify(scenario).includes('"***"')) return scenario;
  throw new Error(`The conditions of ${name} contain secrets, which are masked: activate your own text of it.`);
}

function readInline(name: string, project: string | undefined): Promise<InlineScenario> {
  if (project === undefined) throw new Error(`Select a project first: the library does not have ${name}.`);
  return readActiveScenario(project, name);
}
