/** Compiles the matchers of a rule: values, globs, lists, expressions, bounds, presence. */
import type { Json } from '../base/json.ts';
import { isSecretName } from '../base/secret-name.ts';
import { matchesGlob } from './glob.ts';
import type { Matcher } from './types.ts';

/** Whether a value is as wanted; undefined stands for a field that is not there. */
export type Test = (value: unknown) => boolean;

/** One field's condition: where it stands, what is wanted, in words too. */
export interface FieldTest {
  readonly path: string;
  readonly keys: readonly string[];
  readonly wanted: string;
  /** Whether what is found there may be noted nowhere. */
  readonly isSecret: boolean;
  readonly test: Test;
}

/** Whether what stands at a path is a secret, or in one, to judge by the names. */
export function isSecretPath(path: string): boolean {
  return path.split('.').some(isSecretName);
}

/** The expression engine, loaded only where a scenario has an expression: linear in time, whatever the pattern. */
export type Expressions = (pattern: string) => (text: string) => boolean;

/** The engine for one scenario: an expression that stands in many places is compiled once. */
export async function loadExpressions(): Promise<Expressions> {
  const { RE2JS } = await import('re2js');
  const known = new Map<string, ReturnType<Expressions>>();
  return (pattern) => {
    const found = known.get(pattern);
    if (found) return found;
    const compiled = RE2JS.compile(pattern);
    const find = (text: string): boolean => compiled.matcher(text).find();
    known.set(pattern, find);
    return find;
  };
}

/** The conditions on fields, `headers.NAME` among them. */
export function compileFields(
  where: Readonly<Record<string, Matcher>>,
  expressions: Expressions,
): readonly FieldTest[] {
  return Object.entries(where).map(([path, matcher]) => {
    const isHeader = path.startsWith('headers.');
    const test = compileMatcher(matcher, expressions);
    return {
      path,
      keys: isHeader ? ['headers', path.slice('headers.'.length).toLowerCase()] : path.split('.'),
      wanted: typeof matcher === 'object' ? JSON.stringify(matcher) : String(matcher),
      isSecret: isSecretPath(path),
      test: isHeader ? (value) => test(value) || test(toScalar(value)) : test,
    };
  });
}

/** A header is always text; one that reads as a number, or as true or false, is meant as such where that is wanted. */
function toScalar(value: unknown): unknown {
  return typeof value === 'string' && /^(-?(0|[1-9]\d*)(\.\d+)?|true|false)$/.test(value) ? JSON.parse(value) : value;
}

function compileMatcher(matcher: Matcher, expressions: Expressions): Test {
  if (typeof matcher === 'string') return (value) => isText(value) && matchesGlob(matcher, String(value));
  if (matcher === null || typeof matcher !== 'object') return (value) => value === matcher;
  if ('in' in matcher) return (value) => matcher.in.some((one) => one === value);
  if ('exists' in matcher) return (value) => (value !== undefined) === matcher.exists;
  if ('matches' in matcher) {
    const find = expressions(matcher.matches);
    return (value) => isText(value) && find(String(value));
  }
  const { gt, gte, lt, lte } = matcher;
  return (value) =>
    isComparable(value) &&
    (gt === undefined || compare(value, gt) > 0) &&
    (gte === undefined || compare(value, gte) >= 0) &&
    (lt === undefined || compare(value, lt) < 0) &&
    (lte === undefined || compare(value, lte) <= 0);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isComparable(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Not comparable are a number and a text: neither above nor below. */
function compare(value: string | number, bound: string | number): number {
  if (typeof value !== typeof bound) return Number.NaN;
  return value === bound ? 0 : value > bound ? 1 : -1;
}

/** The value at a path of field names and list places. */
export function valueAt(value: unknown, keys: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Json)[key];
  }
  return at;
}
