/** Says in words what a validator found: where, what was expected, what came, and what was probably meant. */
import type { ErrorObject } from 'ajv';
import type { Json } from '../base/json.ts';
import { didYouMean, nearest } from '../base/nearest.ts';
import type { Violation } from '../base/problem.ts';

const longestQuote = 60;

/** Only so many suggestions are looked for in one body: finding them costs more than finding the mistake. */
const mostSuggestions = 20;

/** Explains one error after another; holds how many suggestions this request has had. */
export interface Explainer {
  /** `root` is the part of the error's path to leave out, such as `/requestBody`. */
  explain(error: ErrorObject, root: string): Violation;
}

/** Messages about the keyword alone; errors about these say nothing of their own. */
const noise = new Set(['if', 'anyOf', 'allOf', 'oneOf', '$ref']);

/** Whether an error only repeats that another one was found: what is no text is none of the allowed texts either. */
export function isNoise({ keyword, parentSchema }: ErrorObject): boolean {
  return noise.has(keyword) || (keyword === 'type' && (parentSchema as Json | undefined)?.['enum'] !== undefined);
}

/** What is accepted and still worth telling: unknown fields, and coordinates that look turned round. */
export function isWarning(error: ErrorObject): boolean {
  return error.keyword === 'additionalProperties' || error.keyword === 'x-longitude-first';
}

/** An explainer for one request; where it is strict, unknown fields are refused and not ignored. */
export function createExplainer(strict: boolean): Explainer {
  let suggestions = 0;
  const mayMean = (name: string, candidates: Iterable<string>): string => {
    suggestions += 1;
    return suggestions > mostSuggestions ? '' : didYouMean(name, candidates);
  };
  return {
    explain: (error, root) => ({
      path: toPath(error, root),
      message: toMessage(error, mayMean, strict),
    }),
  };
}

type MayMean = (name: string, candidates: Iterable<string>) => string;

/** A missing or unknown field is named by where it would stand. */
function toPath(error: ErrorObject, root: string): string {
  const at = error.instancePath.slice(root.length);
  const field: unknown =
    error.keyword === 'required' ? error.params['missingProperty'] : error.params['additionalProperty'];
  return typeof field === 'string' ? `${at}/${escapePointer(cut(field))}` : at;
}

/** A name as it stands in a JSON Pointer. */
function escapePointer(name: string): string {
  return name.replace(/~/g, '~0').replace(/\//g, '~1');
}

function toMessage(error: ErrorObject, mayMean: MayMean, strict: boolean): string {
  const schema = (error.parentSchema ?? {}) as Json;
  const rule = schema['x-rule'];
  if (typeof rule === 'string' && error.keyword !== 'type' && !isWarning(error)) {
    return rule.replace(/\.$/, '') + got(error, schema);
  }
  switch (error.keyword) {
    case 'required':
      return missing(error, schema, mayMean);
    case 'additionalProperties':
      return unknown(error, schema, mayMean) + (strict ? '' : '; it is ignored');
    case 'enum':
      return notOneOf(error, error.schema as readonly unknown[], schema, mayMean);
    case 'const':
      return `expected ${JSON.stringify(error.schema)}${got(error, schema)}`;
    case 'type':
      return `expected ${toTypes(error.schema)}${got(error, schema)}`;
    case 'format':
      return `expected ${toFormat(String(error.schema))}${got(error, schema)}`;
    case 'minItems':
    case 'maxItems':
      return `expected ${toCount(schema)}, got ${(error.data as readonly unknown[]).length}`;
    case 'x-longitude-first':
      return `out of range${got(error, schema)}: longitude comes first (-180 to 180), then latitude (-90 to 90)`;
    default:
      return `${error.message ?? 'not valid'}${got(error, schema)}`;
  }
}

function missing(error: ErrorObject, schema: Json, mayMean: MayMean): string {
  const name = String(error.params['missingProperty']);
  const known = Object.keys((schema['properties'] ?? {}) as Json);
  const others = Object.keys((error.data ?? {}) as Json).slice(0, 100);
  const written = others.find((other) => !known.includes(other) && nearest(other, [name]) === name);
  const hint =
    written === undefined ? '' : mayMean(written, [name]) && `; ${quote(written)} came${mayMean(written, [name])}`;
  return `required, but missing${hint}`;
}

function unknown(error: ErrorObject, schema: Json, mayMean: MayMean): string {
  const name = String(error.params['additionalProperty']);
  const known = Object.keys((schema['properties'] ?? {}) as Json);
  return `unknown field ${quote(name)}${mayMean(name, known)}`;
}

function notOneOf(error: ErrorObject, allowed: readonly unknown[], schema: Json, mayMean: MayMean): string {
  const names = allowed.map(String);
  const meant = typeof error.data === 'string' && !isSecret(schema) ? mayMean(error.data, names) : '';
  const expected = names.length === 1 ? names[0] : `one of ${names.join(', ')}`;
  return `expected ${expected}${got(error, schema)}${meant}`;
}

function toTypes(type: unknown): string {
  const words: Record<string, string> = { array: 'an array', object: 'an object', integer: 'an integer' };
  const name = (one: unknown): string => words[String(one)] ?? (one === 'null' ? 'null' : `a ${String(one)}`);
  return (Array.isArray(type) ? type : [type]).map(name).join(' or ');
}

function toFormat(format: string): string {
  return format === 'date-time'
    ? 'an ISO 8601 timestamp with offset, such as 2026-03-02T09:30:00+10:00'
    : `a string of format ${format}`;
}

function toCount(schema: Json): string {
  const least = schema['minItems'];
  const most = schema['maxItems'];
  if (least === most) return `exactly ${String(least)} items`;
  return most === undefined ? `at least ${String(least)} items` : `at most ${String(most)} items`;
}

/** `, got …`: primitives as they came, the rest by its type; nothing where the value is a secret. */
function got(error: ErrorObject, schema: Json): string {
  if (isSecret(schema) || error.keyword === 'required') return '';
  const value: unknown = error.data;
  if (Array.isArray(value) && value.length <= 3 && value.every((item) => typeof item === 'number')) {
    return `, got [${value.join(', ')}]`;
  }
  if (Array.isArray(value)) return `, got an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return ', got an object';
  return `, got ${value === null ? 'null' : typeof value === 'string' ? quote(value) : `${typeof value} ${String(value)}`}`;
}

function isSecret(schema: Json): boolean {
  return schema['writeOnly'] === true || schema['format'] === 'password';
}

/** A text from the request as a message may show it: in quotes, cut, with control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(cut(text));
}

function cut(text: string): string {
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}…` : text;
}
