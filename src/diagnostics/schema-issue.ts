/** Checks a value against a schema and describes each issue. For a union, it finds the option that was meant. */
import type { z } from 'zod';
import { didYouMean, nearest } from '../lib/nearest.ts';
import { joinNames, mergeExpected, toIssueMessage, withActual } from './issue-message.ts';
import { mainKeys, optionsOf, type Schema, type Shape, schemasAt, shapeOf, shapesOf } from './schema-shape.ts';
import { type Context, describeUnknownKeys, type Finding, maxFindings, valueAt } from './unknown-key.ts';
import type { Path } from './yaml-nodes.ts';

type Issue = z.core.$ZodIssue;
type UnionIssue = z.core.$ZodIssueInvalidUnion;

/**
 * Checks a value against a schema. If the `error` text of a schema begins with `expected`, the actual value is appended
 * to its first line, then the text after its line break; any other text is used unchanged. A `custom` issue may pass
 * `params: { candidates }`, the valid names, for a "did you mean". Returns at most 200 findings.
 */
export function checkValue<T>(
  value: unknown,
  schema: z.ZodType<T>,
): { readonly value: T } | { readonly findings: readonly Finding[] } {
  const result = schema.safeParse(value, { error: toIssueMessage });
  if (result.success) return { value: result.data };
  const issues = result.error.issues.slice(0, maxFindings);
  const findings = issues.flatMap((issue) => toFindings(issue, [], { root: value, schema }));
  return { findings: removeConsequences(findings.slice(0, maxFindings)) };
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
    return describeUnknownKeys(issue.keys, path, shapesOf(schemasAt(context.schema, path)), context);
  }
  if (issue.code === 'invalid_union' && issue.message === '') return toUnionFindings(issue, path, context);
  const key = path.at(-1);
  if (issue.code === 'invalid_key') return [{ path, at: 'key', message: withActual(issue.message, key) }];
  const value = valueAt(context.root, path);
  if (value === undefined && key !== undefined) {
    const message = `missing key ${String(key)}: ${issue.message.split('\n')[0]}`;
    return [{ path: path.slice(0, -1), at: 'value', message, absent: path }];
  }
  const message = `${withActual(issue.message, value)}${suggestName([issue], value)}`;
  return [{ path, at: 'value', message, ...(value === null && { absent: path }) }];
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
  const message = withActual(mergeExpected(mismatches.map((one) => one.message)), value);
  return [{ path, at: 'value', message: `${message}${suggestName(mismatches, value)}` }];
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
  const meant = options[findMeantShape(keys, shapes)];
  if (meant) return meant.issues.flatMap((inner) => toFindings(inner, path, context));
  const unknown = keys.filter((key) => !shapes.some((shape) => Object.hasOwn(shape, key)));
  if (unknown.length > 0) return describeUnknownKeys(unknown, path, shapes, context);
  const mainNames = joinNames([...new Set(shapes.flatMap(mainKeys))]);
  return [{ path, at: 'value', message: `expected one of the keys ${mainNames}` }];
}

const maxScoredKeys = 20;
const scores = { main: 4, nearlyMain: 3, other: 1 } as const;

/** Returns the index of the first shape that fits these keys best, or -1 if none has a main key that is similar. */
function findMeantShape(keys: readonly string[], shapes: readonly Shape[]): number {
  const totals = shapes.map((shape) => {
    const main = mainKeys(shape);
    return keys.slice(0, maxScoredKeys).reduce((sum, key) => {
      if (main.includes(key)) return sum + scores.main;
      if (Object.hasOwn(shape, key)) return sum + scores.other;
      return nearest(key, main) === undefined ? sum : sum + scores.nearlyMain;
    }, 0);
  });
  const best = Math.max(...totals);
  return best < scores.nearlyMain ? -1 : totals.indexOf(best);
}
