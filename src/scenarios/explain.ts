/** Explains why each rule did or did not fire. The texts are created only on demand. */
import { toOrdinal } from '../lib/ordinal.ts';
import type { CompiledRule, RuleSet, ScopedRule } from './compiled.ts';
import { forever, type RequestRange, type Span } from './counts.ts';
import { matchesAny } from './glob.ts';
import { describeItem } from './item.ts';
import { toShortText } from './mismatch.ts';
import { type Note, type NoteCode, type NoteRun, noteCodes } from './notes.ts';

/** The data of a request that explains why rules were skipped. Holds no reference to its body. */
export interface Outline {
  readonly project: string;
  readonly subproject: string | undefined;
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
  /** The condition that was not met, or the result. */
  readonly came: NoteCode;
}

/** Converts `came` to a number: the more conditions were met, the larger. */
export function toProgress(came: NoteCode): number {
  return noteCodes.indexOf(came);
}

/** Orders rules: those that met the most conditions come first. */
export function byProgress(one: Explained, other: Explained): number {
  return toProgress(other.came) - toProgress(one.came);
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
  if (which === 'fired') {
    const fired = notes.filter(({ note }) => isFired(note));
    return fired.flatMap(({ first, count, note }) =>
      rules.slice(first, first + count).map((scoped) => explainNote(scoped, note, toWhy(scoped.rule, note))),
    );
  }
  const picked = rules.length > which ? pick(notes, rules.length, which) : undefined;
  const explained: Explained[] = [];
  visitRules(rules, notes, (scoped, note) => {
    if (picked?.has(scoped.index) === false) return;
    const found = note ?? toSkippedNote(scoped.rule, operation, outline);
    explained.push(explainNote(scoped, found, explainIn(rules, notes, scoped, found)));
  });
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
  visit: (key: string, came: NoteCode, why: () => string) => void,
): void {
  visitRules(rules, notes, (scoped, stored) => {
    const note = stored ?? toSkippedNote(scoped.rule, operation, outline);
    visit(scoped.key, note.code, () => explainIn(rules, notes, scoped, note));
  });
}

/** Visits every rule in order, with its note; undefined if the rule was skipped. */
function visitRules(
  rules: readonly ScopedRule[],
  notes: readonly NoteRun[],
  visit: (scoped: ScopedRule, note: Note | undefined) => void,
): void {
  let run = 0;
  for (const [index, scoped] of rules.entries()) {
    while (run < notes.length && isBefore(notes[run] as NoteRun, index)) run += 1;
    const next = notes[run];
    visit(scoped, next && next.first <= index ? next.note : undefined);
  }
}

function isBefore({ first, count }: NoteRun, index: number): boolean {
  return first + count <= index;
}

function isFired({ code }: Note): boolean {
  return code === 'fired' || code === 'planned';
}

function explainNote({ key, rule }: ScopedRule, note: Note, why: string): Explained {
  const { scenario, name } = rule;
  return { key, scenario, rule: name, fired: isFired(note), why, came: note.code };
}

/** Explains a rule; if an earlier rule had decided before it, names that one. */
function explainIn(
  rules: readonly ScopedRule[],
  notes: readonly NoteRun[],
  { rule, index }: ScopedRule,
  note: Note,
): string {
  if (note.code !== 'outdone') return toWhy(rule, note);
  const kinds = new Set(rule.effects.map(({ kind }) => kind));
  const runs = notes.filter((run) => isFired(run.note) && run.first < index);
  const decisive = findDecisive(rules, runs, kinds) ?? (runs[0] && rules[runs[0].first]?.rule);
  if (!decisive) return toWhy(rule, note);
  return `matched, but ${decisive.scenario} / ${decisive.name} already applies ${listEffects(decisive)}`;
}

/** Returns the first rule of these runs with an effect of one of these kinds. There may be thousands of each. */
function findDecisive(
  rules: readonly ScopedRule[],
  runs: readonly NoteRun[],
  kinds: ReadonlySet<string>,
): CompiledRule | undefined {
  for (const { first, count } of runs) {
    for (let position = first; position < first + count; position += 1) {
      const rule = rules[position]?.rule;
      if (rule?.effects.some(({ kind }) => kinds.has(kind))) return rule;
    }
  }
  return undefined;
}

/** Returns the note of a rule that was skipped, because the operation, the project or the entries do not match. */
function toSkippedNote(rule: CompiledRule, operation: string, outline: Outline): Note {
  const { project, subproject, count, ids, had } = outline;
  if (!matchesAny(rule.operations, operation)) return { code: 'operation', saw: operation };
  if (!matchesAny(rule.project, project)) return { code: 'project', saw: project };
  if (!matchesAny(rule.subproject, subproject)) return { code: 'subproject', saw: subproject };
  const path = rule.item?.by === 'fields' ? rule.item.fields[0]?.path : undefined;
  return { code: 'item', saw: count, had: path === undefined ? ids.map(toShortText) : (had[path] ?? []) };
}

function toWhy(rule: CompiledRule, note: Note): string {
  return explanations[note.code](rule, note);
}

/** Explains a rule, by the condition that it failed or by its result. */
const explanations: Readonly<Record<NoteCode, (rule: CompiledRule, note: Note) => string>> = {
  operation: ({ operations }, { saw }) => `expected operation ${operations?.join(' or ')}; got ${saw}`,
  project: ({ project }, { saw }) => `expected project ${project?.join(' or ')}; got ${saw}`,
  subproject: ({ subproject }, { saw }) => `expected subproject ${subproject?.join(' or ')}; got ${saw ?? 'none'}`,
  where: explainWhere,
  item: explainItem,
  during: ({ during }, { saw }) => `expected ${describeSpan(during)}; got ${toSeconds(Number(saw))}`,
  opening: ({ during }, { saw }) => `expected ${describeSpan(during)}; got request ${saw} of them`,
  request: ({ request }, { saw }) =>
    `expected ${describeRequests(request)} of those that meet the other conditions; got request ${saw}`,
  times: ({ times }, { saw }) => `used up: fired ${saw} of ${times} times`,
  chance: ({ chance }) => `matched, but skipped by chance (${chance})`,
  outdone: (rule) => `matched, but an earlier rule already applies ${listEffects(rule)}`,
  idle: explainIdle,
  planned: () => 'applies to the callbacks of this request',
  fired: (rule, { saw }) =>
    rule.item
      ? `matched ${Number(saw)} ${Number(saw) === 1 ? 'entry' : 'entries'}: ${listEffects(rule)}`
      : `matched: ${listEffects(rule)}`,
};

function listEffects({ effects }: CompiledRule): string {
  return effects.map(({ kind }) => kind).join(', ');
}

/** Effects on entries are idle only if there are none. */
function explainIdle({ effects }: CompiledRule, { saw }: Note): string {
  const idle = effects.find(({ scope, idleReason }) => idleReason !== undefined && (scope !== 'entry' || saw === 0));
  return `matched, but ${idle?.idleReason ?? 'the rule had nothing to do'}`;
}

function explainWhere({ where }: CompiledRule, { saw, field: position = 0 }: Note): string {
  const field = where[position];
  const expected = `expected ${field?.path} ${field?.isSecret ? '***' : field?.wanted}`;
  return saw === undefined ? `${expected}; it is missing` : `${expected}; got ${saw}`;
}

function explainItem({ item }: CompiledRule, { saw, had = [], wasRefused = false }: Note): string {
  const expected = `expected ${item ? describeItem(item) : 'any item'}`;
  const count = Number(saw);
  if (wasRefused) return `${expected}; it was rejected as invalid`;
  if (count === 0) return `${expected}; the request has no entries`;
  if (item?.by === 'number') return `${expected}; the request has ${count} ${count === 1 ? 'entry' : 'entries'}`;
  if (had.length === 0) return `${expected}; all entries were rejected as invalid`;
  return `${expected}; got ${had.join(', ')}${count > had.length ? `, … (${count} entries)` : ''}`;
}

function describeSpan(span: Span | undefined): string {
  if (!span) return 'any time';
  const { forMs } = span;
  if ('afterRequests' in span) {
    const opening = `the first ${span.afterRequests} requests that meet the other conditions`;
    return forMs === undefined ? `a request after ${opening}` : `a request within ${toSeconds(forMs)} after ${opening}`;
  }
  const from = toSeconds(span.afterMs);
  return forMs === undefined
    ? `a time from ${from} after activation`
    : `a time from ${from} to ${toSeconds(span.afterMs + forMs)} after activation`;
}

function toSeconds(ms: number): string {
  return `${ms / 1000} s`;
}

function describeRequests(range: RequestRange | undefined): string {
  if (!range) return 'any request';
  const { from, to, every } = range;
  if (every > 1) return `every ${toOrdinal(every)} request`;
  if (from === to) return `request ${from}`;
  return to === forever ? `request ${from} or later` : `requests ${from} to ${to}`;
}
