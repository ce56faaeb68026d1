/** Stores and removes scenarios of the control API in the library, and counts their memory. */
import { runInSlices, type Slices } from '../lib/slices.ts';
import type { LibraryEntry } from '../scenarios/library.ts';
import type { ParsedScenario } from '../scenarios/parse.ts';
import { sizeOfScenarios } from '../usage/size.ts';
import type { ControlParts, ControlRequest, Rejection, Schema } from './handler.ts';

type Issue = Extract<ParsedScenario, { ok: false }>['issues'][number];

/** Reads the text of a scenario, or returns its mistakes. */
export async function readEntry(
  slices: Slices,
  name: string,
  text: string,
): Promise<{ readonly entry: LibraryEntry } | { readonly entry?: undefined; readonly issues: readonly Issue[] }> {
  const { parseNamed } = await import('../scenarios/parse.ts');
  const parsed = await runInSlices(parseNamed(text, name), slices);
  if (!parsed.ok) return { issues: parsed.issues };
  return { entry: { name, source: 'control', text, scenario: parsed.scenario } };
}

/** Maximum length of an indented text, so that one that is short enough as it was sent does not become too long. */
const maxIndented = 250_000;

/** Returns the text of a scenario in a body. */
export function toScenarioText({ isYaml, body }: Pick<ControlRequest, 'isYaml' | 'body'>): string {
  if (isYaml) return String(body);
  const text = JSON.stringify(body, null, 2);
  return text.length > maxIndented ? JSON.stringify(body) : text;
}

/** Returns the problem of a scenario with mistakes. The lines of JSON are not those that were sent. */
export function toInvalidScenario({ isYaml }: Pick<ControlRequest, 'isYaml'>, issues: readonly Issue[]): Rejection {
  const errors = issues.map(({ path, line, column, message }) => ({
    path,
    message: isYaml ? `${line}:${column} ${message}` : message,
  }));
  return { problem: { kind: 'invalid', message: `not a valid scenario: ${errors[0]?.message}`, errors } };
}

/** Lists the mistakes and warnings of a text with their positions. */
export async function checkEntry(slices: Slices, text: string): Promise<Schema<'ScenarioCheck'>> {
  const { checkText } = await import('../scenarios/parse.ts');
  const { errors, warnings } = await runInSlices(checkText(text, 'scenario'), slices);
  return { valid: errors.length === 0, errors: errors.map(locate), warnings: warnings.map(locate) };
}

function locate({ path, line, column, message }: Issue) {
  return { path, line, column, message };
}

/** Returns the memory of a scenario stored by the control API, in bytes: its text, and its parsed form. */
function sizeOfEntry(entry: LibraryEntry | undefined): number {
  return entry?.source === 'control' ? entry.text.length + sizeOfScenarios([entry.scenario]).bytes : 0;
}

/** Returns how much memory the library needs for an entry, in addition to the one that it replaces. */
export function growthOf({ library }: Pick<ControlParts, 'library'>, entry: LibraryEntry): number {
  return sizeOfEntry(entry) - sizeOfEntry(library.find(entry.name));
}

type LibraryParts = Pick<ControlParts, 'library' | 'admission'>;

export function storeEntry(parts: LibraryParts, entry: LibraryEntry): void {
  const growth = growthOf(parts, entry);
  parts.library.put(entry);
  parts.admission.memory.bytes += growth;
}

export function removeEntry({ library, admission }: LibraryParts, name: string): void {
  admission.memory.bytes -= sizeOfEntry(library.find(name));
  library.remove(name, 'control');
}
