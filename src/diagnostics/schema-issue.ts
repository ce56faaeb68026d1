/** Checks a value against a schema and describes each issue. For a union, it finds the option that was meant. */
import type { z } from 'zod';
import { didYouMean, nearest } from '../lib/nearest.ts';
import { distinguishingKeys, joinNames, mergeExpected, show, toIssueMessage, withActual } from './issue-message.ts';
import { findMisplacedKey, type SchemaPath } from './misplaced-key.ts';
import { optionsOf, type Schema, type Shape, schemasAt, shapeOf, shapesOf } from './schema-shape.ts';
import { findUnionMatch } from './union-match.ts';

/** One problem of a value: its path, and whether it concerns the key or the value. */
export interface SchemaFinding {
  readonly path: SchemaPath;
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** The typed value, or its problems. `isCut`: the list of problems is truncated. */
export type CheckedValue<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly SchemaFinding[]; readonly isCut: boolean };

/** A finding with the data to remove duplicates: a missing key, or the keys that a wrong key was meant to be. */
interface Draft extends SchemaFinding {
  readonly missing?: string;
  readonly meant?: readonly string[];
  /** The key has no value. */
  readonly isEmpty?: boolean;
}

interface Context {
  readonly root: unknown;
  readonly schema: Schema;
}

type UnionIssue = z.core.$ZodIssueInvalidUnion;

const maxFindings = 100;

/**
 * Checks a value against a schema. If the `error` text of a schema begins with `expected`, the actual value is appended
 * to its first line, then the text after its line break; any other text is used unchanged. A `custom` issue may pass
 * `params: { candidates }`, the valid names, for a "did you mean". Returns at most 100 findings.
 */
export function checkValue<T>(value: unknown, schema: z.ZodType<T>): CheckedValue<T> {
  const result = schema.safeParse(value, { error: toIssueMessage });
  if (result.success) return { ok: true, value: result.data };
  // Each finding costs a search for the intended key, so only those to be shown are described.
  const issues = result.error.issues.slice(0, maxFindings + 1);
  const drafts = issues.flatMap((issue) => toDrafts(issue, [], { root: value, schema }));
  return { ok: false, findings: removeDuplicates(drafts.slice(0, maxFindings)), isCut: drafts.length > maxFindings };
}

/** Removes findings about a missing or empty key if another finding says that the key was misspelled or misplaced. */
function removeDuplicates(drafts: readonly Draft[]): readonly SchemaFinding[] {
  const explained = new Set(
    drafts.flatMap(({ path, meant = [] }) =>
      meant.map((key) => JSON.stringify([...path.slice(0, -1), key].map(String))),
    ),
  );
  return drafts
    .filter(({ path, missing, isEmpty }) => {
      const target = missing !== undefined ? [...path, missing] : isEmpty ? path : undefined;
      return target === undefined || !explained.has(JSON.stringify(target.map(String)));
    })
    .map(({ path, at, message }) => ({ path, at, message }));
}

/** Returns the value at a path; reads own properties only. */
function valueAt(root: unknown, path: SchemaPath): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function toDrafts(issue: z.core.$ZodIssue, prefix: SchemaPath, context: Context): readonly Draft[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const shapes = shapesOf(schemasAt(context.schema, path));
    return issue.keys.slice(0, maxFindings + 1).map((key) => unknownKey(key, path, shapes, [], context));
  }
  if (issue.code === 'invalid_union' && issue.message === '') return unionDrafts(issue, path, context);
  const key = path.at(-1);
  if (issue.code === 'invalid_key') return [{ path, at: 'key', message: withActual(issue.message, key) }];
  const value = valueAt(context.root, path);
  if (value === undefined && key !== undefined) {
    const message = `missing key ${String(key)}: ${issue.message.split('\n')[0]}`;
    return [{ path: path.slice(0, -1), at: 'value', message, missing: String(key) }];
  }
  const message = `${withActual(issue.message, value)}${suggestName([issue], value)}`;
  return [{ path, at: 'value', message, isEmpty: value === null }];
}

/** Suggests a valid name for an invalid text; empty if there is none. */
function suggestName(issues: readonly z.core.$ZodIssue[], value: unknown): string {
  const names = issues.flatMap((issue) => {
    if (issue.code === 'invalid_value') return issue.values.map(String);
    const candidates: unknown = issue.code === 'custom' ? issue.params?.['candidates'] : undefined;
    return Array.isArray(candidates) ? (candidates as readonly string[]) : [];
  });
  return typeof value === 'string' ? didYouMean(value, names) : '';
}

/** Describes an unknown key: where it belongs, or which key was meant. `elsewhere`: keys of other kinds of mapping. */
function unknownKey(
  key: string,
  parent: SchemaPath,
  shapes: readonly Shape[],
  elsewhere: readonly string[],
  context: Context,
): Draft {
  const validKeys = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  const present = Object.keys(valueAt(context.root, parent) as object);
  const draft = (rest: string, meant: readonly string[] = []): Draft => {
    return { path: [...parent, key], at: 'key', message: `unknown key ${show(key)}${rest}`, meant };
  };
  const [, prefix] = /^([^:]+):/.exec(key) ?? [];
  if (prefix !== undefined && validKeys.includes(prefix)) return draft(': a colon needs a space behind it', [prefix]);
  if (key.startsWith('//')) return draft(': comments begin with #');
  if (key === '<<') return draft(': mappings are not merged, write the keys out', validKeys);
  // A missing key that differs only by a plural s is more likely than the same key in another mapping.
  const plural = validKeys.find((one) => !present.includes(one) && (one === `${key}s` || key === `${one}s`));
  if (plural !== undefined) return draft(`, did you mean ${plural}?`, [plural]);
  const location = findMisplacedKey(key, parent, shapes, present, context.schema);
  if (location?.isSure) return draft(`, ${location.words}`, location.inside);
  const conflicting = present.find((one) => validKeys.includes(one));
  if (elsewhere.includes(key) && conflicting !== undefined) {
    return { path: [...parent, key], at: 'key', message: `${key} cannot be combined with ${conflicting}` };
  }
  const similar = nearest(key, validKeys);
  if (similar !== undefined) return draft(`, did you mean ${similar}?`, [similar]);
  if (location) return draft(`, ${location.words}`);
  if (validKeys.length === 0) return draft('');
  const missingKeys = validKeys.filter((one) => !present.includes(one));
  return draft(
    missingKeys.length === 0
      ? `: nothing else goes beside ${joinNames(validKeys, 'and')}`
      : `, expected ${joinNames(validKeys)}`,
  );
}

/** One option of a union, and the issues of the value against it. */
interface Option {
  readonly schema: Schema;
  readonly issues: readonly z.core.$ZodIssue[];
}

/** Returns the options of a union and of its nested unions. */
function toOptions(schema: Schema, errors: UnionIssue['errors']): readonly Option[] {
  return (optionsOf(schema) ?? []).flatMap((option, index) => {
    const issues = errors[index] ?? [];
    const inner = issues.find((issue) => issue.code === 'invalid_union' && issue.path.length === 0) as
      | UnionIssue
      | undefined;
    return inner && optionsOf(option) ? toOptions(option, inner.errors) : [{ schema: option, issues }];
  });
}

/** Describes a value that matches no option: the issues of the intended option, otherwise all valid alternatives. */
function unionDrafts(issue: UnionIssue, path: SchemaPath, context: Context): readonly Draft[] {
  const value = valueAt(context.root, path);
  const union = schemasAt(context.schema, path).find((one) => optionsOf(one)?.length === issue.errors.length);
  const options = union ? toOptions(union, issue.errors) : [];
  const mappings = options.filter(({ schema }) => shapeOf(schema));
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && mappings.length > 0) {
    return mappingDrafts(mappings, path, context);
  }
  const meant = options.find(({ issues }) => !findTypeMismatch(issues));
  if (meant) return meant.issues.flatMap((inner) => toDrafts(inner, path, context));
  const typeMismatches = options.flatMap(({ issues }) => findTypeMismatch(issues) ?? []);
  const message = withActual(mergeExpected(typeMismatches.map((one) => one.message)), value);
  return [{ path, at: 'value', message: `${message}${suggestName(typeMismatches, value)}` }];
}

/** Returns the issue that reports a wrong type or literal of the value itself, or undefined. */
function findTypeMismatch(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const own = issues.find((issue) => issue.path.length === 0);
  return own?.code === 'invalid_type' || own?.code === 'invalid_value' ? own : undefined;
}

/** Describes a mapping that matches no option; its keys decide which option was meant. */
function mappingDrafts(options: readonly Option[], path: SchemaPath, context: Context): readonly Draft[] {
  const keys = Object.keys(valueAt(context.root, path) as object);
  const shapes = options.map(({ schema }) => shapeOf(schema) ?? {});
  const meant = findUnionMatch(keys, shapes);
  const option = meant === undefined ? undefined : options[meant];
  const allKeys = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  if (!option || meant === undefined) {
    const unknown = keys.filter((key) => !allKeys.has(key)).slice(0, maxFindings);
    if (unknown.length > 0) return unknown.map((key) => unknownKey(key, path, shapes, [], context));
    return [{ path, at: 'value', message: `expected one of the keys ${joinNames(distinguishingKeys(shapes))}` }];
  }
  const shape = shapes[meant] ?? {};
  return option.issues.flatMap((inner) => {
    if (inner.code !== 'unrecognized_keys' || inner.path.length > 0) return toDrafts(inner, path, context);
    return inner.keys.slice(0, maxFindings).map((key) => unknownKey(key, path, [shape], [...allKeys], context));
  });
}
