/** Keeps what a request did to the rules, and explains why each did or did not fire. The texts are created on demand. */
import { toOrdinal } from '../lib/format.ts';
import { valueAt } from '../lib/pointer.ts';
import type { Entry } from '../operations/command.ts';
import { type CompiledRule, isForAll, type RuleSet, type ScopedRule } from './compiled.ts';
import { forever, type RequestRange, type Span } from './counts.ts';
import { costOfGlobs, matchesAny } from './glob.ts';
import type { ItemTest } from './item.ts';
import type { FieldTest } from './matcher.ts';

/** The condition that a rule failed, or its result if it failed none. In the order of evaluation. */
export const stages = [
  'operation',
  'project',
  'subproject',
  'where',
  'item',
  'during',
  'opening',
  'request',
  'times',
  'chance',
  'outdone',
  'idle',
  'planned',
  'fired',
] as const;
export type Stage = (typeof stages)[number];

/** How far a rule came with a request. Holds no reference to the request's body. */
export interface Trace {
  readonly rule: ScopedRule;
  readonly stage: Stage;
  /** What the deciding condition saw: a count, a time in milliseconds, a text, or the whole explanation. */
  readonly saw: number | string | undefined;
  /** Numbers of the entries on which the rule fired, if it selects entries. */
  readonly items?: readonly number[] | undefined;
}

/** The data of a request that explains why rules were skipped. Holds no reference to its body. */
export interface Outline {
  readonly operation: string;
  readonly project: string;
  readonly subproject: string | undefined;
  readonly count: number;
  /** Ids of the first entries that the contract accepted. */
  readonly ids: readonly string[];
  /** Describes the values of the first entries at the fields by which rules are indexed, by field path. */
  readonly had: Readonly<Record<string, readonly string[]>>;
}

/** The traces of the rules that were evaluated, in their order, and why the others were skipped. */
export interface Evaluation {
  readonly traces: readonly Trace[];
  readonly outline: Outline;
}

export interface Explained {
  readonly scenario: string;
  readonly rule: string;
  readonly fired: boolean;
  readonly why: string;
  /** The condition that was not met, or the result. */
  readonly stage: Stage;
  /** Whether its scenario is one for all projects. */
  readonly forAll?: true | undefined;
}

/** A rule that fired on a request, or applies to its callbacks. */
export interface Firing {
  readonly scenario: string;
  readonly rule: string;
  readonly operation: string;
  /** Number of the request among those of its operation that rules saw, since the project was created or reset. */
  readonly nth: number;
  /** Numbers of the entries for which it fired, if it selects entries. Absent beyond 10,000 of all rules. */
  readonly items?: readonly number[];
  readonly effects: readonly string[];
}

/** What a request keeps of the rules. */
export interface RuleNotes {
  /** Number of active rules. */
  readonly ruleCount: number;
  /** Memory use, in bytes. */
  readonly notesSize: number;
  /** The rules that fired, in their order. */
  readonly fired: readonly Firing[];
  /** Explains the rules that came furthest, 100 at most, in their order. Computed at each call. */
  explain(): readonly Explained[];
}

const maxExplained = 100;

/** Maximum number of entries that are kept for the rules that fired on a request. */
const maxItems = 10_000;

/** The notes of a request that no rule saw. */
export const noNotes: RuleNotes = { ruleCount: 0, notesSize: 0, fired: [], explain: () => [] };

/** Keeps the rules that fired, and traces of those that came furthest. `nth`: see `Firing`. */
export function toRuleNotes(set: RuleSet, nth: number, evaluation: Evaluation): RuleNotes {
  const { traces, outline } = evaluation;
  const fired = toFirings(evaluation, nth);
  const kept = { traces: keepFurthest(traces), outline };
  return { ruleCount: set.rules.length, notesSize: sizeOf(kept, fired), fired, explain: () => explain(set, kept) };
}

function toFirings({ traces, outline: { operation } }: Evaluation, nth: number): readonly Firing[] {
  let itemCount = 0;
  return traces.filter(isFired).map(({ rule: { rule }, items }) => {
    itemCount += items?.length ?? 0;
    const { scenario, name } = rule;
    const effects = rule.effects.map(({ kind }) => kind);
    return { scenario, rule: name, operation, nth, effects, ...(items && itemCount <= maxItems && { items }) };
  });
}

/** Returns the traces of the rules that came furthest, and the first ones on a tie, in their order. */
function keepFurthest(traces: readonly Trace[]): readonly Trace[] {
  const plain = traces.map((trace) => (trace.items ? { ...trace, items: undefined } : trace));
  if (plain.length <= maxExplained) return plain;
  const met = new Set(plain.map(({ stage }) => stage));
  const byStage = stages.filter((one) => met.has(one)).map((one) => plain.filter(({ stage }) => stage === one));
  return toOrdered(byStage.reverse().flat().slice(0, maxExplained));
}

function toOrdered(traces: readonly Trace[]): readonly Trace[] {
  return traces.toSorted((one, other) => one.rule.index - other.rule.index);
}

// Bytes, measured on Node 20 and rounded up.
const traceSize = 100;
const textSize = 32;

function sizeOf({ traces, outline: { had } }: Evaluation, fired: readonly Firing[]): number {
  let size = traceSize * (traces.length + fired.length);
  for (const { saw } of traces) if (typeof saw === 'string') size += textSize + 2 * saw.length;
  for (const { items = [] } of fired) size += 8 * items.length;
  for (const path in had) for (const text of had[path] ?? []) size += textSize + 2 * text.length;
  return size;
}

/** Explains the evaluated rules, and the first of the skipped ones. */
function explain({ rules }: RuleSet, { traces, outline }: Evaluation): readonly Explained[] {
  const evaluated = new Set(traces.map(({ rule }) => rule));
  const skipped = rules.filter((rule) => !evaluated.has(rule)).slice(0, maxExplained - traces.length);
  const all = [...traces, ...skipped.map((rule) => toSkipped(rule, outline))];
  return toOrdered(all).map((trace) => {
    const { scenario, name } = trace.rule.rule;
    const why = explainTrace(trace, traces);
    const forAll = isForAll(trace.rule) || undefined;
    return { scenario, rule: name, fired: isFired(trace), stage: trace.stage, why, forAll };
  });
}

function isFired({ stage }: Trace): boolean {
  return stage === 'fired' || stage === 'planned';
}

/** Explains a rule; if an earlier rule had decided before it, names that one. `traces`: those of the same request. */
export function explainTrace(trace: Trace, traces: readonly Trace[]): string {
  const { rule, stage, saw } = trace;
  if (stage !== 'outdone') return explanations[stage](rule.rule, saw);
  const kinds = new Set(rule.rule.effects.map(({ kind }) => kind));
  const earlier = traces.filter((one) => isFired(one) && one.rule.index < rule.index).map((one) => one.rule.rule);
  const decisive = earlier.find(({ effects }) => effects.some(({ kind }) => kinds.has(kind))) ?? earlier[0];
  return decisive
    ? `matched, but ${decisive.scenario} / ${decisive.name} already applies ${listEffects(decisive)}`
    : explanations.outdone(rule.rule, saw);
}

/** Returns the trace of a rule that was skipped, because the operation, the project or the entries do not match. */
export function toSkipped(scoped: ScopedRule, outline: Outline): Trace {
  const { operations, project: projects, subproject: subprojects, item } = scoped.rule;
  const { operation, project, subproject, count, ids, had } = outline;
  if (!matchesAny(operations, operation)) return { rule: scoped, stage: 'operation', saw: operation };
  if (excludes(projects, project)) return { rule: scoped, stage: 'project', saw: project };
  if (excludes(subprojects, subproject)) return { rule: scoped, stage: 'subproject', saw: subproject };
  const path = item?.by === 'fields' ? item.fields[0]?.path : undefined;
  const mismatches = path === undefined ? ids.map(toShortText) : (had[path] ?? []);
  return { rule: scoped, stage: 'item', saw: item && describeItems(item, count, mismatches) };
}

/** Whether globs do not match a text. Costly ones are ignored, because a skipped rule was never charged for them. */
function excludes(globs: readonly string[] | undefined, text: string | undefined): boolean {
  const isCostly = globs && text !== undefined && costOfGlobs(globs, text) > 10_000;
  return !isCostly && !matchesAny(globs, text);
}

/** Explains a rule, by the condition that it failed or by its result. */
const explanations: Readonly<Record<Stage, (rule: CompiledRule, saw: Trace['saw']) => string>> = {
  operation: ({ operations }, saw) => `${expected(`operation ${operations?.join(' or ')}`)}; got ${saw}`,
  project: ({ project }, saw) => `${expected(`project ${project?.join(' or ')}`)}; got ${saw}`,
  subproject: ({ subproject }, saw) => `${expected(`subproject ${subproject?.join(' or ')}`)}; got ${saw ?? 'none'}`,
  where: (_, saw) => String(saw),
  item: (_, saw) => String(saw),
  during: ({ during }, saw) => `expected ${describeSpan(during)}; got ${toSeconds(Number(saw))}`,
  opening: ({ during }, saw) => `expected ${describeSpan(during)}; got request ${saw} of them`,
  request: ({ request }, saw) =>
    `expected ${describeRequests(request)} of those that meet the other conditions; got request ${saw}`,
  times: ({ times }, saw) => `used up: fired ${saw} of ${times} times`,
  chance: ({ chance }) => `matched, but skipped by chance (${chance})`,
  outdone: (rule) => `matched, but an earlier rule already applies ${listEffects(rule)}`,
  idle: explainIdle,
  planned: () => 'applies to the callbacks of this request',
  fired: (rule, saw) =>
    rule.item
      ? `matched ${saw} ${saw === 1 ? 'entry' : 'entries'}: ${listEffects(rule)}`
      : `matched: ${listEffects(rule)}`,
};

function listEffects({ effects }: CompiledRule): string {
  return effects.map(({ kind }) => kind).join(', ');
}

/** Effects on entries are idle only if there are none. */
function explainIdle({ effects }: CompiledRule, saw: Trace['saw']): string {
  const idle = effects.find(({ scope, idleReason }) => idleReason !== undefined && (scope !== 'entry' || saw === 0));
  return `matched, but ${idle?.idleReason ?? 'the rule had nothing to do'}`;
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

/** Replaces a secret value in descriptions. */
export const hidden: symbol = Symbol('hidden');

/** Number of entries that a description shows. */
export const maxDescribed = 3;
const maxValueLength = 60;

const maxWantedLength = 300;

/** Says what a condition expects, cut, because it may list thousands of ids, and each request keeps it. */
function expected(wanted: string): string {
  return `expected ${wanted.length > maxWantedLength ? `${wanted.slice(0, maxWantedLength)}…` : wanted}`;
}

export function toShortText(value: unknown): string {
  if (value === hidden) return 'another value (hidden)';
  if (value === undefined) return 'no value';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, maxValueLength + 1) : value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

function toMismatch({ maxLength }: FieldTest, value: unknown): string {
  const text = toShortText(value);
  return maxLength !== undefined && typeof value === 'string' && value.length > maxLength
    ? `${text}, which exceeds the maximum of ${maxLength} characters`
    : text;
}

/** Explains a condition on a field of the request; the value may be `hidden`. */
export function describeField(field: FieldTest, value: unknown): string {
  const found = value === undefined ? 'it is missing' : `got ${toMismatch(field, value)}`;
  return `${expected(field.wanted)}; ${found}`;
}

/** Describes the first field of an entry that does not match; names it if the condition has several. */
export function describeEntry(
  { fields }: Extract<ItemTest, { by: 'fields' }>,
  field: FieldTest,
  value: unknown,
): string {
  const text = toMismatch(field, field.isSecret && value !== undefined ? hidden : value);
  return fields.length === 1 ? text : `${field.path} ${text}`;
}

/** Explains a condition on entries that none matches. `mismatches` describes the first ones, `count` is their number. */
export function describeItems({ by, wanted }: ItemTest, count: number, mismatches: readonly string[]): string {
  if (count === 0) return `${expected(wanted)}; the request has no entries`;
  if (by === 'number') return `${expected(wanted)}; the request has ${count} ${count === 1 ? 'entry' : 'entries'}`;
  if (mismatches.length === 0) return `${expected(wanted)}; all entries were rejected as invalid`;
  const more = count > mismatches.length ? `, … (${count} entries)` : '';
  return `${expected(wanted)}; got ${mismatches.join(', ')}${more}`;
}

/** Describes the first entries of a request: their ids, and their values at these fields. */
export function describeFirst(entries: readonly Entry[], fields: readonly FieldTest[]): Pick<Outline, 'ids' | 'had'> {
  const first = entries.slice(0, maxDescribed);
  const describe = ({ keys }: FieldTest) => first.map(({ value }) => toShortText(valueAt(value, keys)));
  return {
    ids: first.map(({ id }) => id.slice(0, maxValueLength + 1)),
    had: fields.length === 0 ? noValues : Object.fromEntries(fields.map((field) => [field.path, describe(field)])),
  };
}

const noValues: Outline['had'] = {};
