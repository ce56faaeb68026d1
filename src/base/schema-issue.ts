/** Words what a zod schema finds wrong: what was expected, what came, what was probably meant; knows of no file or line. */
import type { z } from 'zod';
import { didYouMean } from './nearest.ts';

/** One problem of a value: the path to it, and whether the key or what stands under it is meant. */
export interface Finding {
  readonly path: readonly PropertyKey[];
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** The typed value, or all that is wrong with it. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly Finding[] };

type Path = readonly PropertyKey[];
type UnionIssue = z.core.$ZodIssueInvalidUnion;

const longestQuote = 60;
const mostListed = 12;
const mostFindings = 100;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/**
 * Checks a value against a schema. A schema's own `error` text that begins with `expected` gets what came put behind it;
 * any other stands as it is. At most 100 findings.
 */
export function checkValue<T>(value: unknown, schema: z.ZodType<T>): Checked<T> {
  const result = schema.safeParse(value, { error: wordIssue });
  if (result.success) return { ok: true, value: result.data };
  // Each finding costs a search for what was meant: no more of them are worded than are shown.
  const issues = result.error.issues.slice(0, mostFindings);
  return { ok: false, findings: issues.flatMap((issue) => toFindings(issue, [], value)).slice(0, mostFindings) };
}

/** A value for a message: a primitive quoted and cut, of a list or mapping only that it is one. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
}

/** The value under a path, own properties only. */
function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/**
 * The text of an issue. zod hands on the schema to nobody but this function, so for unknown keys and unions the text is
 * JSON of the keys that exist, until toFindings makes sentences of it.
 */
function wordIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${listed(issue.values.map(String))}`;
    case 'too_small':
      return `expected ${sized(issue.origin)}at least ${issue.minimum}`;
    case 'too_big':
      return `expected ${sized(issue.origin)}at most ${issue.maximum}`;
    case 'unrecognized_keys':
      return JSON.stringify(keysOf(issue.inst));
    case 'invalid_union':
      return JSON.stringify(optionsOf(issue.inst).map(keysOf));
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'expected another key';
    default:
      return 'expected another value';
  }
}

function sized(origin: string): string {
  if (origin === 'string') return 'a length of ';
  return origin === 'array' ? 'a number of entries of ' : '';
}

function listed(names: readonly string[]): string {
  const shown =
    names.length > mostListed ? [...names.slice(0, mostListed), `${names.length - mostListed} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
}

function definitionOf(schema: unknown): z.core.$ZodTypes['_zod']['def'] | undefined {
  return (schema as z.core.$ZodTypes | undefined)?._zod.def;
}

function keysOf(schema: unknown): readonly string[] | null {
  const definition = definitionOf(schema);
  return definition?.type === 'object' ? Object.keys(definition.shape) : null;
}

function optionsOf(schema: unknown): readonly unknown[] {
  const definition = definitionOf(schema);
  return definition?.type === 'union' ? definition.options : [];
}

function toFindings(issue: z.core.$ZodIssue, prefix: Path, root: unknown): readonly Finding[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = (JSON.parse(issue.message) as readonly string[] | null) ?? [];
    return issue.keys.slice(0, mostFindings).map((key) => unknownKey(key, path, known));
  }
  if (issue.code === 'invalid_union' && issue.message.startsWith('[')) return unionFindings(issue, path, root);
  const value = valueAt(root, path);
  if (issue.code === 'invalid_key') return [{ path, at: 'key', message: came(issue.message, path.at(-1)) }];
  const key = path.at(-1);
  if (value === undefined && key !== undefined) {
    return [{ path: path.slice(0, -1), at: 'value', message: `missing key ${String(key)}: ${issue.message}` }];
  }
  const guess = issue.code === 'invalid_value' ? didYouMean(String(value), issue.values.map(String)) : '';
  return [{ path, at: 'value', message: `${came(issue.message, value)}${guess}` }];
}

function came(message: string, value: unknown): string {
  if (!message.startsWith('expected')) return message;
  const unquoted = typeof value === 'number' || typeof value === 'boolean';
  const hint = unquoted && /\btext\b/.test(message) ? ' (quotes make it text)' : '';
  return `${message}, got ${show(value)}${hint}`;
}

function unknownKey(key: string, parent: Path, known: readonly string[]): Finding {
  const guess = didYouMean(key, known);
  const names = guess === '' && known.length > 0 ? `, expected ${listed(known)}` : guess;
  return { path: [...parent, key], at: 'key', message: `unknown key ${show(key)}${names}` };
}

/** Of a value that fits no option: what is wrong with the option that was probably meant, else all that would do. */
function unionFindings(issue: UnionIssue, path: Path, root: unknown): readonly Finding[] {
  const value = valueAt(root, path);
  const optionKeys = JSON.parse(issue.message) as readonly (readonly string[] | null)[];
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && optionKeys.some((keys) => keys)) {
    return mappingFindings(issue, path, root, optionKeys);
  }
  const expected = unionMismatches(issue);
  if (expected)
    return [{ path, at: 'value', message: came(`expected ${[...new Set(expected)].join(', or ')}`, value) }];
  const meant = issue.errors.find((issues) => !mismatches(issues)) ?? [];
  return meant.flatMap((inner) => toFindings(inner, path, root));
}

/** What was expected, where a value is not even of the kind that was asked for; undefined where it is. */
function mismatches(issues: readonly z.core.$ZodIssue[]): readonly string[] | undefined {
  const own = issues.find((issue) => issue.path.length === 0);
  if (own?.code === 'invalid_union') return unionMismatches(own);
  if (own?.code !== 'invalid_type' && own?.code !== 'invalid_value') return undefined;
  return [own.message.replace(/^expected /, '')];
}

function unionMismatches(issue: UnionIssue): readonly string[] | undefined {
  const options = issue.errors.map(mismatches);
  return options.every((option) => option !== undefined) ? options.flat() : undefined;
}

/** Of several kinds of mapping the one is meant that knows the most of the keys. */
function mappingFindings(
  issue: UnionIssue,
  path: Path,
  root: unknown,
  optionKeys: readonly (readonly string[] | null)[],
): readonly Finding[] {
  const keys = Object.keys(valueAt(root, path) as object);
  const allKnown = [...new Set(optionKeys.flatMap((known) => known ?? []))];
  if (keys.length === 0) return [{ path, at: 'value', message: `expected one of the keys ${listed(allKnown)}` }];
  const scores = optionKeys.map((known) => keys.filter((key) => known?.includes(key)).length);
  const best = Math.max(...scores);
  if (best === 0) return keys.slice(0, mostFindings).map((key) => unknownKey(key, path, allKnown));
  const meant = scores.indexOf(best);
  const known = optionKeys[meant] ?? [];
  const beside = keys.find((key) => known.includes(key));
  return (issue.errors[meant] ?? []).flatMap((inner) => {
    if (inner.code !== 'unrecognized_keys' || inner.path.length > 0) return toFindings(inner, path, root);
    return inner.keys
      .slice(0, mostFindings)
      .map((key) =>
        allKnown.includes(key)
          ? { path: [...path, key], at: 'key' as const, message: `${key} cannot stand beside ${beside}` }
          : unknownKey(key, path, known),
      );
  });
}
