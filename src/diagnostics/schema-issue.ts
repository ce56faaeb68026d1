/** Checks a value against a schema and describes each issue. For a union, it finds the option that was meant. */
import type { z } from 'zod';
import { didYouMean, nearest } from '../lib/nearest.ts';
import { valueAt } from '../lib/pointer.ts';
import { joinNames, mergeExpected, show, toIssueMessage, withActual } from './issue-message.ts';
import { mainKeys, optionsOf, type Schema, type Shape, schemasAt, shapeOf, shapesOf } from './schema-shape.ts';
import type { Path } from './yaml-nodes.ts';

/** One problem of a value. */
export interface Finding {
  readonly path: Path;
  /** Whether the problem concerns the key or the value. */
  readonly at: 'key' | 'value';
  readonly message: string;
  /** Path of the missing or empty key that the finding is about. */
  readonly absent?: Path;
  /** Paths of the keys that an unknown key was meant for: findings that they are missing are consequences. */
  readonly meant?: readonly Path[];
  /** The key that was misspelled. */
  readonly correct?: string;
}

interface Context {
  readonly root: unknown;
  readonly schema: Schema;
}

type Issue = z.core.$ZodIssue;
type UnionIssue = z.core.$ZodIssueInvalidUnion;

// Each finding costs a search for the intended key. Twice the number that is shown, because some are removed.
const maxFindings = 200;
const maxComparedKeys = 20;

/** A schema of zod or of `zod/mini`. */
type Checkable<T> = Schema & {
  safeParse(
    value: unknown,
    options: { error: typeof toIssueMessage },
  ): { success: true; data: T } | { success: false; error: { issues: Issue[] } };
};

/**
 * Checks a value against a schema. If the `error` text of a schema begins with `expected`, the actual value is appended
 * to its first line, then the text after its line break; any other text is used unchanged. A `custom` issue may pass
 * `params: { candidates }`, the valid names, for a "did you mean". Returns at most 200 findings.
 */
export function checkValue<T>(
  value: unknown,
  schema: Checkable<T>,
): { readonly value: T } | { readonly findings: readonly Finding[] } {
  const result = schema.safeParse(value, { error: toIssueMessage });
  if (result.success) return { value: result.data };
  const issues = result.error.issues.slice(0, maxFindings);
  const findings = issues.flatMap((issue) => toFindings(issue, [], { root: value, schema }));
  const found = removeConsequences(findings.slice(0, maxFindings));
  return { findings: findBehind(value, schema, found) ?? found };
}

/** Finds what is wrong below misspelled keys of the first level, such as `rule` for `rules`, as if they were right. */
function findBehind<T>(
  value: unknown,
  schema: Checkable<T>,
  findings: readonly Finding[],
): readonly Finding[] | undefined {
  const fixed = new Map(Object.entries((value ?? {}) as object));
  const written = new Map<PropertyKey, PropertyKey>();
  const misspelled = findings.filter(({ path: [key, ...rest], correct }) => {
    if (rest.length > 0 || correct === undefined || fixed.has(correct)) return false;
    fixed.set(correct, fixed.get(String(key)));
    fixed.delete(String(key));
    written.set(correct, key as PropertyKey);
    return true;
  });
  if (misspelled.length === 0) return undefined;
  const again = checkValue(Object.fromEntries(fixed), schema);
  const behind = 'findings' in again ? again.findings : [];
  const toWritten = ([key, ...rest]: Path): Path => (key === undefined ? [] : [written.get(key) ?? key, ...rest]);
  return [...misspelled, ...behind.map((one) => ({ ...one, path: toWritten(one.path) }))];
}

/** Removes findings about a missing or empty key if another finding says that the key was misspelled or misplaced. */
function removeConsequences(findings: readonly Finding[]): readonly Finding[] {
  const toText = (path: Path): string => JSON.stringify(path.map(String));
  const explained = new Set(findings.flatMap(({ meant = [] }) => meant.map(toText)));
  return findings.filter(({ absent }) => absent === undefined || !explained.has(toText(absent)));
}

function toFindings(issue: Issue, prefix: Path, context: Context): readonly Finding[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return toKeyFindings(issue.keys, path, shapesOf(schemasAt(context.schema, path)), context);
  }
  if (issue.code === 'invalid_union' && issue.message === '') return toUnionFindings(issue, path, context);
  const key = path.at(-1);
  if (issue.code === 'invalid_key') return [{ path, at: 'key', message: withActual(issue.message, key) }];
  const value = valueAt(context.root, path);
  if (value === undefined && key !== undefined) return [toMissing(path, issue.message)];
  const message = `${withActual(issue.message, value)}${suggestName([issue], value)}`;
  return [{ path, at: 'value', message, ...(value === null && { absent: path }) }];
}

function toMissing(path: Path, expected: string): Finding {
  const message = `missing key ${String(path.at(-1))}: ${expected.split('\n')[0]}`;
  return { path: path.slice(0, -1), at: 'value', message, absent: path };
}

function toKeyFindings(
  keys: readonly string[],
  parent: Path,
  shapes: readonly Shape[],
  { root }: Context,
): readonly Finding[] {
  const present = Object.keys(valueAt(root, parent) as object);
  return keys.slice(0, maxFindings).map((key) => {
    const { message, meant, ...rest } = describeUnknownKey(key, present, shapes);
    return { path: [...parent, key], at: 'key', message, meant: meant.map((name) => [...parent, name]), ...rest };
  });
}

/** A message about a key, and the keys of the same mapping that it was meant for. */
type KeyAdvice = Pick<Finding, 'message' | 'correct'> & { readonly meant: readonly string[] };

/** Describes a key that a mapping must not have. `present`: its keys; `shapes`: its options. */
function describeUnknownKey(key: string, present: readonly string[], shapes: readonly Shape[]): KeyAdvice {
  const unknown = `unknown key ${show(key)}`;
  const validKeys = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  const [, start = ''] = /^([\w-]+) *[{[]/.exec(key) ?? [];
  if (validKeys.includes(start)) return { message: `a colon is missing after ${start}`, meant: [start] };
  if (key === '<<') return { message: `${unknown}: merge keys are not supported`, meant: validKeys };
  const isOfOtherOption = validKeys.includes(key);
  const similar = isOfOtherOption ? undefined : nearest(key, validKeys);
  if (similar !== undefined)
    return { message: `${unknown}, did you mean ${similar}?`, meant: [similar], correct: similar };
  const containers = findContainers(key, present, shapes);
  if (containers.length > 0) return { message: `${unknown}: move it into ${joinNames(containers)}`, meant: containers };
  if (!isOfOtherOption) return { message: `${unknown}, expected ${joinNames(validKeys)}`, meant: [] };
  const conflicting = present.find((name) => name !== key && validKeys.includes(name));
  return { message: `${key} cannot be combined with ${conflicting}`, meant: [] };
}

/** Returns the keys of the mapping below which a key is valid; only those that are present, if any is. */
function findContainers(key: string, present: readonly string[], shapes: readonly Shape[]): readonly string[] {
  const children = shapes.flatMap((shape) => Object.entries(shape));
  const all = children
    .filter(([, child]) => shapesOf([child]).some((inner) => Object.hasOwn(inner, key)))
    .map(([name]) => name);
  const used = all.filter((name) => present.includes(name));
  return [...new Set(used.length > 0 ? used : all)];
}

/** Suggests a valid name for an invalid text; empty if there is none. */
function suggestName(issues: readonly Issue[], value: unknown): string {
  const names = issues.flatMap((issue) => {
    if (issue.code === 'invalid_value') return issue.values.map(String);
    const candidates: unknown = issue.code === 'custom' ? issue.params?.['candidates'] : undefined;
    return Array.isArray(candidates) ? (candidates as readonly string[]) : [];
  });
  return typeof value === 'string' ? didYouMean(value, names) : '';
}

/** One option of a union, and the issues of the value against it. */
interface Option {
  readonly schema: Schema;
  readonly issues: readonly Issue[];
}

/** Returns the options of a union and of its nested unions. */
function toOptions(schema: Schema, errors: UnionIssue['errors']): readonly Option[] {
  return (optionsOf(schema) ?? []).flatMap((option, index) => {
    const issues = errors[index] ?? [];
    const inner = issues.find(
      (issue): issue is UnionIssue => issue.code === 'invalid_union' && issue.path.length === 0,
    );
    return inner && optionsOf(option) ? toOptions(option, inner.errors) : [{ schema: option, issues }];
  });
}

/** Describes a value that matches no option: the issues of the intended option, otherwise all valid alternatives. */
function toUnionFindings(issue: UnionIssue, path: Path, context: Context): readonly Finding[] {
  const value = valueAt(context.root, path);
  const union = schemasAt(context.schema, path).find((one) => optionsOf(one)?.length === issue.errors.length);
  const options = union ? toOptions(union, issue.errors) : [];
  const mappings = options.filter(({ schema }) => shapeOf(schema));
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && mappings.length > 0) {
    return toMappingFindings(mappings, Object.keys(value), path, context);
  }
  const meant = options.find(({ issues }) => !findTypeMismatch(issues));
  if (meant) return meant.issues.flatMap((inner) => toFindings(inner, path, context));
  const mismatches = options.flatMap(({ issues }) => findTypeMismatch(issues) ?? []);
  const expected = mergeExpected(mismatches.map((one) => one.message));
  if (value === undefined && path.length > 0) return [toMissing(path, expected)];
  return [{ path, at: 'value', message: `${withActual(expected, value)}${suggestName(mismatches, value)}` }];
}

/** Returns the issue that reports a wrong type or literal of the value itself, or undefined. */
function findTypeMismatch(issues: readonly Issue[]): Issue | undefined {
  const own = issues.find((issue) => issue.path.length === 0);
  return own?.code === 'invalid_type' || own?.code === 'invalid_value' ? own : undefined;
}

/** Describes a mapping that matches no option; its keys decide which option was meant. */
function toMappingFindings(
  options: readonly Option[],
  keys: readonly string[],
  path: Path,
  context: Context,
): readonly Finding[] {
  const shapes = options.map(({ schema }) => shapeOf(schema) ?? {});
  const meant = options[findMeantShape(keys.slice(0, maxComparedKeys), shapes)];
  if (meant) return meant.issues.flatMap((inner) => toFindings(inner, path, context));
  const unknown = keys.filter((key) => !shapes.some((shape) => Object.hasOwn(shape, key)));
  if (unknown.length > 0) return toKeyFindings(unknown, path, shapes, context);
  const mainNames = joinNames([...new Set(shapes.flatMap(mainKeys))]);
  return [{ path, at: 'value', message: `expected one of the keys ${mainNames}` }];
}

/** Returns the index of the first shape with one of these keys as a main key, else with a similar one, else -1. */
function findMeantShape(keys: readonly string[], shapes: readonly Shape[]): number {
  const mains = shapes.map(mainKeys);
  const exact = mains.findIndex((main) => keys.some((key) => main.includes(key)));
  return exact >= 0 ? exact : mains.findIndex((main) => keys.some((key) => nearest(key, main) !== undefined));
}
