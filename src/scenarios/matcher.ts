/** Compiles the matchers of a rule: values, globs, lists, regular expressions, bounds and presence. */
import { isSecretName } from '../lib/secret-name.ts';
import { maxTextLength } from './expression-size.ts';
import { matchesGlob } from './glob.ts';
import type { Bounds, Matcher, Scalar } from './types.ts';

/** Whether a value matches; undefined means a missing field. */
export type Test = (value: unknown) => boolean;

/** The compiled condition on one field; `wanted` describes it, without a secret value. */
export interface FieldTest {
  readonly path: string;
  readonly keys: readonly string[];
  readonly wanted: string;
  /** Whether the value must not be recorded or shown. */
  readonly isSecret: boolean;
  /** Maximum text length for a regular expression or glob, in characters. Longer texts do not match. */
  readonly maxLength: number | undefined;
  /** The valid values, if the matcher is a value or a list. Each also matches what is written alike. */
  readonly exact: readonly Scalar[] | undefined;
  /** Cost of a test per character; a test of a number costs 1. */
  readonly costPerCharacter: number;
  readonly test: Test;
}

/** Whether the field at a path is a secret or part of one, by the names of its keys. */
export function isSecretPath(path: string): boolean {
  return path.split('.').some(isSecretName);
}

/** Compiles a regular expression; matches in linear time. The engine loads only if a scenario uses it. */
export type Expressions = (pattern: string) => Expression;

/** A compiled regular expression or glob. */
export interface Expression {
  /** Size in instructions. */
  readonly size: number;
  /** Maximum text length, in characters. Longer texts do not match. */
  readonly maxLength: number;
  find(text: string): boolean;
}

/** Loads the engine for one scenario. It compiles each different expression once. */
export async function loadExpressions(): Promise<Expressions> {
  const { RE2JS } = await import('re2js');
  const cache = new Map<string, Expression>();
  return (pattern) => {
    const cached = cache.get(pattern);
    if (cached) return cached;
    const compiled = RE2JS.compile(pattern);
    const size = compiled.programSize();
    const expression = { size, maxLength: maxTextLength(size), find: (text: string) => compiled.matcher(text).find() };
    cache.set(pattern, expression);
    return expression;
  };
}

/** Compiles the conditions on fields, including `headers.NAME`. */
export function compileFields(
  where: Readonly<Record<string, Matcher>>,
  expressions: Expressions,
): readonly FieldTest[] {
  return Object.entries(where).map(([path, matcher]) => {
    const isHeader = path.startsWith('headers.');
    const expression = toExpression(matcher, expressions);
    const isSecret = isSecretPath(path);
    const value = typeof matcher === 'object' ? JSON.stringify(matcher) : String(matcher);
    return {
      path,
      keys: isHeader ? ['headers', path.slice('headers.'.length).toLowerCase()] : path.split('.'),
      wanted: `${path} ${isSecret ? '***' : value}`,
      isSecret,
      maxLength: expression?.maxLength,
      exact: expression ? undefined : toExact(matcher),
      costPerCharacter: expression ? expression.size / 5 : 0,
      test: expression ? toTest(expression) : compileMatcher(matcher),
    };
  });
}

/** Converts a text that looks like a number or boolean: 3000 and "3000" match each other, and headers are always texts. */
export function toScalar(value: unknown): unknown {
  return typeof value === 'string' && /^(-?(0|[1-9]\d*)(\.\d+)?|true|false)$/.test(value) ? JSON.parse(value) : value;
}

/** Maximum product of text length and glob length: about 30 ms. Longer texts do not match. */
const maxGlobSteps = 20_000_000;

/** Returns the expression of a glob or a regular expression. A step of a glob costs a quarter of an instruction. */
function toExpression(matcher: Matcher, expressions: Expressions): Expression | undefined {
  if (typeof matcher === 'string' && /[*?]/.test(matcher)) {
    const { length } = matcher;
    const maxLength = Math.floor(maxGlobSteps / length);
    return { size: length / 4, maxLength, find: (text) => matchesGlob(matcher, text) };
  }
  return typeof matcher === 'object' && matcher !== null && 'matches' in matcher
    ? expressions(matcher.matches)
    : undefined;
}

function toTest({ maxLength, find }: Expression): Test {
  return (value) => {
    if (!isText(value)) return false;
    const text = String(value);
    return text.length <= maxLength && find(text);
  };
}

function toExact(matcher: Matcher): readonly Scalar[] | undefined {
  if (matcher === null || typeof matcher !== 'object') return [matcher];
  return 'in' in matcher ? matcher.in : undefined;
}

/** Returns the cost of testing this value; a test of a number costs 1. */
export function costOf({ costPerCharacter, maxLength = Number.POSITIVE_INFINITY }: FieldTest, value: unknown): number {
  return typeof value === 'string' && value.length <= maxLength ? 1 + value.length * costPerCharacter : 1;
}

/** Compiles a matcher that is no expression. */
function compileMatcher(matcher: Matcher): Test {
  if (typeof matcher === 'string') return (value) => isText(value) && String(value) === matcher;
  if (matcher === null || typeof matcher !== 'object') return (value) => toScalar(value) === matcher;
  if ('in' in matcher) {
    const values = new Set<unknown>(matcher.in);
    return (value) => values.has(value) || values.has(toScalar(value)) || (isText(value) && values.has(String(value)));
  }
  if ('exists' in matcher) return (value) => (value !== undefined) === matcher.exists;
  const { gt, gte, lt, lte } = matcher as Bounds;
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

/** Compares two numbers or two texts; returns NaN for a number and a text that is none, which are not comparable. */
function compare(value: string | number, bound: string | number): number {
  if (typeof value !== typeof bound) {
    const [one, other] = [toScalar(value), toScalar(bound)];
    return typeof one === 'number' && typeof other === 'number' ? one - other : Number.NaN;
  }
  return value === bound ? 0 : value > bound ? 1 : -1;
}
