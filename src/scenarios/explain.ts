/** Explains why each rule did or did not fire. The texts are created only on demand. */
import { toOrdinal } from '../lib/ordinal.ts';
import { type CompiledRule, matchesOperation, type RuleSet, type ScopedRule } from './compile.ts';
import { forever, type Span } from './counts.ts';
import { matchesGlob } from './glob.ts';
import { describeItem } from './item.ts';
import { toShortText } from './mismatch.ts';
import { type Note, type NoteCode, type NoteRun, noteCodes } from './notes.ts';

/** The data of a request that explains why rules were skipped. Holds no reference to its body. */
export interface Outline {
  readonly project: string;
  readonly subproject: string | undefined;
  /** Number of entries. */
  readonly count: number;
  /** Ids of the first entries that the contract accepted. */
  readonly ids: readonly string[];
  /** Describes the values of the first entries at the fields by which rules are indexed, by field path. */
  readonly had: Readonly<Record<string, readonly string[]>>;
}

export interface Explained {
  /** Key of the rule in the rule set. */
  readonly key: string;
  readonly scenario: string;
  readonly rule: string;
  readonly fired: boolean;
  readonly why: string;
  /** The condition that was not met, or the result; `operation` if the rule is for other operations. */
  readonly came: NoteCode | 'operation';
}

/** Converts `came` to a number: the more conditions were met, the larger. */
export function toProgress(came: Explained['came']): number {
  return came === 'operation' ? -1 : noteCodes.indexOf(came);
}

/** The stored data of a request that explains what the rules did to it. */
export interface StoredNotes {
  readonly notes: readonly NoteRun[];
  readonly outline: Outline;
}

/**
 * Explains the active rules in their order, including those for other operations. `which` limits the list: a number
 * keeps the rules that met the most conditions; `fired` keeps those that fired or wait for callbacks.
 */
export function explainNotes(
  { rules }: RuleSet,
  operation: string,
  { notes, outline }: StoredNotes,
  which: 'fired' | number = Number.POSITIVE_INFINITY,
): readonly Explained[] {
  const picked = typeof which === 'number' && rules.length > which ? pick(notes, rules.length, which) : undefined;
  const explained: Explained[] = [];
  let index = 0;
  const explainUpTo = (end: number): void => {
    for (; index < end && which !== 'fired'; index += 1) {
      if (picked?.has(index) !== false) explained.push(explainSkipped(rules[index] as ScopedRule, operation, outline));
    }
    index = end;
  };
  for (const { first, count, note } of notes) {
    explainUpTo(first);
    index = first + count;
    if (which === 'fired' && !isFired(note)) continue;
    for (let position = first; position < index; position += 1) {
      if (picked?.has(position) !== false) explained.push(explainNote(rules[position] as ScopedRule, note));
    }
  }
  explainUpTo(rules.length);
  return explained;
}

/** Returns the indexes of at most `max` rules: those that met the most conditions, and the first ones on a tie. */
function pick(notes: readonly NoteRun[], count: number, max: number): ReadonlySet<number> {
  const picked = new Set<number>();
  for (const code of noteCodes.toReversed()) {
    for (const run of notes) {
      if (run.note.code !== code) continue;
      for (let position = run.first; position < run.first + run.count; position += 1) {
        if (picked.size === max) return picked;
        picked.add(position);
      }
    }
  }
  for (let position = 0; position < count && picked.size < max; position += 1) picked.add(position);
  return picked;
}

/** Visits every rule with the condition that it reached. Call `why` to create the text. */
export function visitNotes(
  { rules }: RuleSet,
  operation: string,
  { notes, outline }: StoredNotes,
  visit: (key: string, came: Explained['came'], why: () => string) => void,
): void {
  let index = 0;
  const visitUpTo = (end: number): void => {
    for (; index < end; index += 1) {
      const { key, rule } = rules[index] as ScopedRule;
      const note = matchesOperation(rule, operation) ? toSkippedNote(rule, outline) : undefined;
      visit(key, note?.code ?? 'operation', () => (note ? toWhy(rule, note) : describeOtherOperation(rule, operation)));
    }
  };
  for (const { first, count, note } of notes) {
    visitUpTo(first);
    for (; index < first + count; index += 1) {
      const { key, rule } = rules[index] as ScopedRule;
      visit(key, note.code, () => toWhy(rule, note));
    }
  }
  visitUpTo(rules.length);
}

function isFired({ code }: Note): boolean {
  return code === 'fired' || code === 'planned';
}

function explainNote({ key, rule }: ScopedRule, note: Note): Explained {
  const { scenario, name } = rule;
  return { key, scenario, rule: name, fired: isFired(note), why: toWhy(rule, note), came: note.code };
}

function explainSkipped(scoped: ScopedRule, operation: string, outline: Outline): Explained {
  const { key, rule } = scoped;
  if (matchesOperation(rule, operation)) return explainNote(scoped, toSkippedNote(rule, outline));
  const { scenario, name } = rule;
  return { key, scenario, rule: name, fired: false, why: describeOtherOperation(rule, operation), came: 'operation' };
}

/** Returns the note of a rule that was skipped, because the project or the entries do not match. */
function toSkippedNote(rule: CompiledRule, { project, subproject, count, ids, had }: Outline): Note {
  if (!matchesAny(rule.project, project)) return { code: 'project', saw: project };
  if (!matchesAny(rule.subproject, subproject)) return { code: 'subproject', saw: subproject };
  const path = rule.item?.by === 'fields' ? rule.item.fields[0]?.path : undefined;
  return { code: 'item', saw: count, had: path === undefined ? ids.map(toShortText) : (had[path] ?? []) };
}

/** Whether a text matches one of the globs, or there are no globs. */
export function matchesAny(globs: readonly string[] | undefined, text: string | undefined): boolean {
  return globs === undefined || (text !== undefined && globs.some((glob) => matchesGlob(glob, text)));
}

function describeOtherOperation(rule: CompiledRule, operation: string): string {
  return `wanted operation ${rule.operations?.join(', ') ?? '*'}, the request was ${operation}`;
}

function toWhy(rule: CompiledRule, { code, saw, field: position = 0, had = [], wasRefused = false }: Note): string {
  const field = rule.where[position];
  const kinds = rule.effects.map((effect) => effect.kind).join(', ');
  switch (code) {
    case 'project':
      return `wanted project ${rule.project?.join(', ')}, the request was for ${String(saw)}`;
    case 'subproject':
      return `wanted subproject ${rule.subproject?.join(', ')}, the URL ${saw === undefined ? 'named none' : `named ${String(saw)}`}`;
    case 'where':
      return `wanted ${field?.path} ${field?.isSecret ? '***' : field?.wanted}, ${saw === undefined ? 'it was not there' : `it was ${String(saw)}`}`;
    case 'item':
      return `wanted ${rule.item ? describeItem(rule.item) : 'any item'}, ${describeEntries(rule, Number(saw), had, wasRefused)}`;
    case 'during':
      return `wanted ${describeSpan(rule.during)}, this was ${toSeconds(Number(saw))} after ${rule.during && 'afterRequests' in rule.during ? 'it began' : 'activation'}`;
    case 'opening':
      return `wanted ${describeSpan(rule.during)}, this was request ${String(saw)} that met the other conditions`;
    case 'request':
      return `wanted ${describeRequests(rule)}, this was request ${String(saw)} that met the other conditions`;
    case 'times':
      return `used up: it has acted ${String(saw)} of ${rule.times} times`;
    case 'chance':
      return `matched, but chance (${rule.chance}) was against it`;
    case 'outdone':
      return `matched, but an earlier rule had decided ${kinds} already`;
    case 'idle':
      return saw === 0 && !rule.effects.some(({ kind }) => kind === 'limit')
        ? 'matched, but there was no entry to act on'
        : 'matched, and was within the limit';
    case 'planned':
      return 'goes along with the callbacks of this request';
    case 'fired':
      return rule.item
        ? `matched ${Number(saw)} ${Number(saw) === 1 ? 'entry' : 'entries'}: ${kinds}`
        : `matched: ${kinds}`;
    default:
      return code satisfies never;
  }
}

function describeEntries({ item }: CompiledRule, count: number, had: readonly string[], wasRefused: boolean): string {
  if (wasRefused) return 'which the contract had refused';
  if (item?.by === 'number') return `the list had ${count}`;
  if (count === 0) return 'the list had none';
  if (had.length === 0) return 'the contract had refused all that there was';
  if (count === 1) return `the one entry had ${had[0]}`;
  const more = count > had.length ? ', …' : '';
  return `none of the ${count} entries was: they had ${had.join(', ')}${more}`;
}

function describeSpan(span: Span | undefined): string {
  if (!span) return 'any time';
  const length = span.forMs === undefined ? '' : ` for ${toSeconds(span.forMs)}`;
  return 'afterRequests' in span
    ? `the time after ${span.afterRequests} requests${length}`
    : `the time from ${toSeconds(span.afterMs)} after activation${length}`;
}

function toSeconds(ms: number): string {
  return `${ms / 1000} s`;
}

function describeRequests({ request }: CompiledRule): string {
  if (!request) return 'any request';
  if (request.every > 1) return `every ${toOrdinal(request.every)} request`;
  if (request.from === request.to) return `request ${request.from}`;
  return `requests ${request.from} to ${request.to === forever ? 'the last' : request.to}`;
}
