/** Finds what a schema says is wrong with a value, and which of several kinds of value was meant; knows of no file or line. */
import type { z } from 'zod';
import { anyOf, came, listed, show, tellingKeys, wordIssue } from './issue-words.ts';
import { meantShape } from './meant-branch.ts';
import { type Path, placeOf } from './meant-place.ts';
import { didYouMean, nearest } from './nearest.ts';
import { optionsOf, type Schema, type Shape, schemasAt, shapeOf, shapesOf } from './schema-shape.ts';

/** One problem of a value: the path to it, and whether the key or what stands under it is meant. */
export interface Finding {
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** The typed value, or what is wrong with it. `isCut`: there was more. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly findings: readonly Finding[]; readonly isCut: boolean };

/** A finding, and what it tells of its mapping: the key that is missing there, or that another key was meant for. */
interface Draft extends Finding {
  readonly missing?: string;
  readonly meant?: readonly string[];
  /** Nothing stands there. */
  readonly isEmpty?: boolean;
}

interface Context {
  readonly root: unknown;
  readonly schema: Schema;
}

type UnionIssue = z.core.$ZodIssueInvalidUnion;

const mostFindings = 100;

/**
 * Checks a value against a schema. A schema's own `error` text that begins with `expected` gets what came instead put
 * behind it, and behind that what follows a line break in it; any other stands as it is. A `custom` issue may bring
 * `params: { candidates }`, the names that could have been meant. At most 100 findings.
 */
export function checkValue<T>(value: unknown, schema: z.ZodType<T>): Checked<T> {
  const result = schema.safeParse(value, { error: wordIssue });
  if (result.success) return { ok: true, value: result.data };
  // Each finding costs a search for what was meant: no more of them are worded than are shown.
  const issues = result.error.issues.slice(0, mostFindings + 1);
  const drafts = issues.flatMap((issue) => toDrafts(issue, [], { root: value, schema }));
  return { ok: false, findings: withoutEchoes(drafts.slice(0, mostFindings)), isCut: drafts.length > mostFindings };
}

/** A key that is missing or empty because it was misspelled, or its content stands elsewhere, is one mistake, not two. */
function withoutEchoes(drafts: readonly Draft[]): readonly Finding[] {
  const explained = new Set(
    drafts.flatMap(({ path, meant = [] }) =>
      meant.map((key) => JSON.stringify([...path.slice(0, -1), key].map(String))),
    ),
  );
  return drafts
    .filter(({ path, missing, isEmpty }) => {
      const about = missing !== undefined ? [...path, missing] : isEmpty ? path : undefined;
      return about === undefined || !explained.has(JSON.stringify(about.map(String)));
    })
    .map(({ path, at, message }) => ({ path, at, message }));
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

function toDrafts(issue: z.core.$ZodIssue, prefix: Path, context: Context): readonly Draft[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const shapes = shapesOf(schemasAt(context.schema, path));
    return issue.keys.slice(0, mostFindings + 1).map((key) => unknownKey(key, path, shapes, [], context));
  }
  if (issue.code === 'invalid_union' && issue.message === '') return unionDrafts(issue, path, context);
  const key = path.at(-1);
  if (issue.code === 'invalid_key') return [{ path, at: 'key', message: came(issue.message, key) }];
  const value = valueAt(context.root, path);
  if (value === undefined && key !== undefined) {
    const message = `missing key ${String(key)}: ${issue.message.split('\n')[0]}`;
    return [{ path: path.slice(0, -1), at: 'value', message, missing: String(key) }];
  }
  const message = `${came(issue.message, value)}${guess([issue], value)}`;
  return [{ path, at: 'value', message, isEmpty: value === null }];
}

/** The name that was probably meant by a text that is none of those that there are. */
function guess(issues: readonly z.core.$ZodIssue[], value: unknown): string {
  const names = issues.flatMap((issue) => {
    if (issue.code === 'invalid_value') return issue.values.map(String);
    const candidates: unknown = issue.code === 'custom' ? issue.params?.['candidates'] : undefined;
    return Array.isArray(candidates) ? (candidates as readonly string[]) : [];
  });
  return typeof value === 'string' ? didYouMean(value, names) : '';
}

/** Says where an unknown key belongs, or what was meant by it; `elsewhere` are keys that another kind of mapping has. */
function unknownKey(
  key: string,
  parent: Path,
  shapes: readonly Shape[],
  elsewhere: readonly string[],
  context: Context,
): Draft {
  const known = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  const present = Object.keys(valueAt(context.root, parent) as object);
  const say = (rest: string, meant: readonly string[] = []): Draft => {
    return { path: [...parent, key], at: 'key', message: `unknown key ${show(key)}${rest}`, meant };
  };
  const [, glued] = /^([^:]+):/.exec(key) ?? [];
  if (glued !== undefined && known.includes(glued)) return say(': a colon needs a space behind it', [glued]);
  if (key.startsWith('//')) return say(': comments begin with #');
  if (key === '<<') return say(': mappings are not merged, write the keys out', known);
  // Nearer than the same key elsewhere: the one that is missing here, but for one letter.
  const plural = known.find((one) => !present.includes(one) && (one === `${key}s` || key === `${one}s`));
  if (plural !== undefined) return say(`, did you mean ${plural}?`, [plural]);
  const place = placeOf(key, parent, shapes, present, context.schema);
  if (place?.isSure) return say(`, ${place.words}`, place.inside);
  const beside = present.find((one) => known.includes(one));
  if (elsewhere.includes(key) && beside !== undefined) {
    return { path: [...parent, key], at: 'key', message: `${key} cannot stand beside ${beside}` };
  }
  const near = nearest(key, known);
  if (near !== undefined) return say(`, did you mean ${near}?`, [near]);
  if (place) return say(`, ${place.words}`);
  if (known.length === 0) return say('');
  const free = known.filter((one) => !present.includes(one));
  return say(free.length === 0 ? `: nothing else goes beside ${listed(known, 'and')}` : `, expected ${listed(known)}`);
}

/** One kind of value that a union takes, and what keeps the value from being of that kind. */
interface Option {
  readonly schema: Schema;
  readonly issues: readonly z.core.$ZodIssue[];
}

/** The options of a union, those of unions within it too. */
function toOptions(schema: Schema, errors: UnionIssue['errors']): readonly Option[] {
  return (optionsOf(schema) ?? []).flatMap((option, index) => {
    const issues = errors[index] ?? [];
    const inner = issues.find((issue) => issue.code === 'invalid_union' && issue.path.length === 0) as
      | UnionIssue
      | undefined;
    return inner && optionsOf(option) ? toOptions(option, inner.errors) : [{ schema: option, issues }];
  });
}

/** Of a value that fits no option: what is wrong with the option that was probably meant, else all that would do. */
function unionDrafts(issue: UnionIssue, path: Path, context: Context): readonly Draft[] {
  const value = valueAt(context.root, path);
  const union = schemasAt(context.schema, path).find((one) => optionsOf(one)?.length === issue.errors.length);
  const options = union ? toOptions(union, issue.errors) : [];
  const mappings = options.filter(({ schema }) => shapeOf(schema));
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && mappings.length > 0) {
    return mappingDrafts(mappings, path, context);
  }
  const meant = options.find(({ issues }) => !mismatch(issues));
  if (meant) return meant.issues.flatMap((inner) => toDrafts(inner, path, context));
  const mismatches = options.flatMap(({ issues }) => mismatch(issues) ?? []);
  const message = came(anyOf(mismatches.map((one) => one.message)), value);
  return [{ path, at: 'value', message: `${message}${guess(mismatches, value)}` }];
}

/** The issue that says that a value is not even of the kind that was asked for; undefined where it is. */
function mismatch(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const own = issues.find((issue) => issue.path.length === 0);
  return own?.code === 'invalid_type' || own?.code === 'invalid_value' ? own : undefined;
}

/** What is wrong with a mapping that fits none of several kinds: by its keys one of them was meant. */
function mappingDrafts(options: readonly Option[], path: Path, context: Context): readonly Draft[] {
  const keys = Object.keys(valueAt(context.root, path) as object);
  const shapes = options.map(({ schema }) => shapeOf(schema) ?? {});
  const meant = meantShape(keys, shapes);
  const option = meant === undefined ? undefined : options[meant];
  const allKnown = new Set(shapes.flatMap((shape) => Object.keys(shape)));
  if (!option || meant === undefined) {
    const strange = keys.filter((key) => !allKnown.has(key)).slice(0, mostFindings);
    if (strange.length > 0) return strange.map((key) => unknownKey(key, path, shapes, [], context));
    return [{ path, at: 'value', message: `expected one of the keys ${listed(tellingKeys(shapes))}` }];
  }
  const shape = shapes[meant] ?? {};
  return option.issues.flatMap((inner) => {
    if (inner.code !== 'unrecognized_keys' || inner.path.length > 0) return toDrafts(inner, path, context);
    return inner.keys.slice(0, mostFindings).map((key) => unknownKey(key, path, [shape], [...allKnown], context));
  });
}
