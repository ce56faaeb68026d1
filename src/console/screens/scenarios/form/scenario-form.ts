/** Reads the text of a scenario into the values that the form shows, with the paths of what it cannot show. */
import { type Document, isMap, LineCounter, parseDocument, visit } from 'yaml';

/** Which entries of a request a rule fires on. `other`: only the text can show the condition. */
export type Entries =
  | { readonly kind: 'all' }
  | { readonly kind: 'numbers'; readonly numbers: readonly number[] }
  | { readonly kind: 'every'; readonly every: number }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'other' };

/** Which of the matching requests a rule fires on. `first`: only on so many of them, with `times`. */
export type Requests =
  | { readonly kind: 'all' }
  | { readonly kind: 'first'; readonly count: number }
  | { readonly kind: 'nth'; readonly nth: number }
  | { readonly kind: 'every'; readonly every: number }
  | { readonly kind: 'range'; readonly from: number; readonly to: number | undefined };

/** A condition on one field. `test` is `is`, `exists`, or a key of a matcher. */
export interface FieldTest {
  readonly path: string;
  readonly test: FieldTestKind;
  readonly value: unknown;
}

export const fieldTestKinds = ['is', 'matches', 'exists', 'gt', 'gte', 'lt', 'lte'] as const;
export type FieldTestKind = (typeof fieldTestKinds)[number];

/** When a rule fires: a time after the activation, or after a number of requests. Without `for` there is no end. */
export interface TimeSpan {
  readonly after: string | undefined;
  readonly afterRequests: number | undefined;
  readonly for: string | undefined;
}

export interface RuleForm {
  readonly name: string;
  /** An operationId, a glob or several of them; empty for any operation. */
  readonly operation: string;
  readonly entries: Entries;
  readonly requests: Requests;
  readonly fields: readonly FieldTest[];
  readonly timeSpan: TimeSpan | undefined;
  readonly chance: number | undefined;
  readonly effects: Readonly<Record<string, unknown>>;
  /** Dotted paths of what only the text shows, such as `when.project`. */
  readonly others: readonly string[];
  /** Line of the rule in the text, from 1. */
  readonly line: number;
}

export interface ScenarioForm {
  readonly name: string;
  readonly description: string;
  readonly rules: readonly RuleForm[];
  readonly others: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the form of a text, or why it has none. */
export function readForm(text: string): ScenarioForm | { readonly problem: string } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  if (document.errors.length > 0) return { problem: 'The text is not valid YAML yet.' };
  if (hasAliases(document)) return { problem: 'The text has anchors or aliases, which the form cannot change.' };
  const value: unknown = document.toJS();
  if (!isValues(value)) return { problem: 'The text is not a scenario: it needs the keys name and rules.' };
  const { name, description, rules = [], ...others } = value;
  if (!Array.isArray(rules) || !rules.every(isValues)) return { problem: 'The rules are not a list of rules.' };
  return {
    name: toText(name),
    description: toText(description),
    rules: rules.map((rule: Values, index) => readRule(rule, lineOf(document, lines, index))),
    others: Object.keys(others),
  };
}

function hasAliases(document: Document): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
    Node: (_key, node) => {
      if ('anchor' in node && node.anchor) found = true;
    },
  });
  return found;
}

function lineOf(document: Document, lines: LineCounter, index: number): number {
  const node = document.getIn(['rules', index], true);
  return isMap(node) && node.range ? lines.linePos(node.range[0]).line : 0;
}

function readRule(rule: Values, line: number): RuleForm {
  const { name, when: given, chance, times, then: effects, ...others } = rule;
  const when = isValues(given) ? given : {};
  const { operation, item, request, where, during, ...otherConditions } = when;
  const requests = readRequests(request, times);
  const fields = Object.entries(isValues(where) ? where : {}).map(([path, matcher]) => readField(path, matcher));
  const entries = readEntries(item);
  return {
    name: toText(name),
    operation: [operation ?? []].flat().map(String).join(', '),
    entries,
    requests: requests ?? { kind: 'all' },
    fields: fields.filter((field) => typeof field !== 'string'),
    timeSpan: isValues(during) ? readTimeSpan(during) : undefined,
    chance: typeof chance === 'number' ? chance : undefined,
    effects: isValues(effects) ? effects : {},
    others: [
      ...Object.keys(others),
      ...Object.keys(otherConditions).map((key) => `when.${key}`),
      ...(entries.kind === 'other' ? ['when.item'] : []),
      ...(requests === undefined ? ['when.request'] : []),
      ...(times !== undefined && requests?.kind !== 'first' ? ['times'] : []),
      ...fields.filter((field) => typeof field === 'string').map((path) => `when.where.${path}`),
    ],
    line,
  };
}

function readEntries(item: unknown): Entries {
  if (item === undefined) return { kind: 'all' };
  const numbers = [item].flat();
  if (numbers.every((one) => typeof one === 'number')) return { kind: 'numbers', numbers };
  if (!isValues(item)) return { kind: 'other' };
  const { every, id } = item;
  if (typeof every === 'number') return { kind: 'every', every };
  const ids = [id].flat();
  return ids.every((one) => typeof one === 'string') ? { kind: 'ids', ids } : { kind: 'other' };
}

/** Returns undefined if only the text can show the condition. */
function readRequests(request: unknown, times: unknown): Requests | undefined {
  if (request === undefined) return typeof times === 'number' ? { kind: 'first', count: times } : { kind: 'all' };
  if (!isValues(request)) return undefined;
  const { nth, every, from, to } = request;
  if (typeof nth === 'number') return { kind: 'nth', nth };
  if (typeof every === 'number') return { kind: 'every', every };
  if (typeof from !== 'number') return undefined;
  return { kind: 'range', from, to: typeof to === 'number' ? to : undefined };
}

function readTimeSpan({ after, afterRequests, for: length }: Values): TimeSpan {
  return {
    after: typeof after === 'string' ? after : undefined,
    afterRequests: typeof afterRequests === 'number' ? afterRequests : undefined,
    for: typeof length === 'string' ? length : undefined,
  };
}

/** Returns the path of the field if only the text can show the condition. */
function readField(path: string, matcher: unknown): FieldTest | string {
  if (!isValues(matcher)) return Array.isArray(matcher) ? path : { path, test: 'is', value: matcher };
  const [[key = '', value] = [], ...more] = Object.entries(matcher);
  const test = fieldTestKinds.find((kind) => kind === key);
  return more.length > 0 || test === undefined || test === 'is' ? path : { path, test, value };
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
