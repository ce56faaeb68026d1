/** Turns validator errors into messages: where the mistake is, the expected and received values, and a suggestion. */
import type { ErrorObject } from 'ajv';
import { maxDuration, suggestDuration } from '../lib/duration.ts';
import { formatCount, truncate } from '../lib/format.ts';
import { explainTimestamp } from '../lib/iso-8601.ts';
import type { Json } from '../lib/json.ts';
import { didYouMean, nearest } from '../lib/nearest.ts';
import { toPointer } from '../lib/pointer.ts';
import type { CauseKind, Violation } from '../lib/problem.ts';

/** Maximum number of suggestions per request: a suggestion takes longer to find than the mistake. */
const maxSuggestions = 20;

/** Explains an error. `root`: the prefix to remove from its path, such as `/requestBody`. */
export type Explain = (error: ErrorObject, root: string) => Violation;

/** Keywords whose errors only repeat the errors of their subschemas. */
const repeatingKeywords = new Set(['if', 'anyOf', 'allOf', 'oneOf', '$ref']);

/** Returns whether an error only repeats another one. A wrong type of an enum value also fails `enum`. */
export function isNoise({ keyword, parentSchema }: ErrorObject): boolean {
  return (
    repeatingKeywords.has(keyword) || (keyword === 'type' && (parentSchema as Json | undefined)?.['enum'] !== undefined)
  );
}

const warningKeywords = new Set([
  ...['additionalProperties', 'x-longitude-first', 'x-timestamp', 'x-language-code', 'x-not-empty'],
]);

/** Returns whether an error is only a warning: an unknown field, a value of unusual form, `x-warning`. */
export function isWarning(error: ErrorObject): boolean {
  const { keyword } = error;
  return warningKeywords.has(keyword) || warningOf(error) !== undefined;
}

/** Returns the document's warning about a failed keyword. Unlike other messages, it never includes the value. */
function warningOf({ parentSchema }: ErrorObject): string | undefined {
  const warning: unknown = (parentSchema as Json | undefined)?.['x-warning'];
  return typeof warning === 'string' ? warning : undefined;
}

/** Creates the function that explains the errors of one request. In strict mode, unknown fields are rejected, not ignored. */
export function createExplain(strict: boolean): Explain {
  let suggestions = 0;
  const suggest: Suggest = (find, weight = 1) => {
    suggestions += weight;
    return suggestions > maxSuggestions ? '' : find();
  };
  return (error, root) => {
    const { keyword, params, schemaPath } = error;
    const path = toPath(error, root);
    const [text, received] = toTexts(error, suggest, strict);
    // No function of its own for most of them: a body may have thousands of mistakes.
    const kind = keyword === 'format' ? toFormatKind(error) : (kinds[keyword] ?? 'wrongValue');
    const cause = { kind, place: path, text };
    return { path, message: text + received, keyword, params, schemaPath, cause };
  };
}

/** Finds a suggestion, unless there were too many. `weight`: less than 1 for a search that mostly finds nothing. */
type Suggest = (find: () => string, weight?: number) => string;

/** Returns the JSON Pointer of a mistake; for a missing or unknown field, the pointer to that field. */
function toPath(error: ErrorObject, root: string): string {
  const at = error.instancePath.slice(root.length);
  const field: unknown =
    error.keyword === 'required' ? error.params['missingProperty'] : error.params['additionalProperty'];
  return typeof field === 'string' ? at + toPointer([truncate(field)]) : at;
}

const kinds: Readonly<Record<string, CauseKind>> = {
  additionalProperties: 'unknownField',
  required: 'missingField',
  dependentRequired: 'missingField',
  type: 'wrongType',
  'x-timestamp': 'wrongTime',
  'x-longitude-first': 'swapped',
};

function toFormatKind({ schema }: ErrorObject): CauseKind {
  return String(schema).startsWith('date-') ? 'wrongTime' : 'wrongValue';
}

/** What was expected; or also what was received, where it is not the value itself. */
type Texts = string | readonly [expected: string, received: string];

interface Failed {
  readonly error: ErrorObject;
  /** The failed keyword's value. */
  readonly value: unknown;
  /** The schema that has the keyword. */
  readonly schema: Json;
  readonly suggest: Suggest;
  readonly strict: boolean;
}

/** Returns a message in two parts: what was expected, and what was received with a suggestion. */
function toTexts(error: ErrorObject, suggest: Suggest, strict: boolean): readonly [expected: string, received: string] {
  const { keyword, schema: value, data } = error;
  const schema = (error.parentSchema ?? {}) as Json;
  const warning = warningOf(error);
  if (warning !== undefined) return [warning, ''];
  const rule = schema['x-rule'];
  if (keyword === 'x-duration') return [`must be at most ${maxDuration}`, `, got ${truncate(data as string)}`];
  if (schema['x-duration'] === true) return [String(rule), got(error, schema) + suggestDuration(data)];
  if (typeof rule === 'string' && keyword !== 'type' && !isWarning(error)) {
    return [rule.replace(/\.$/, ''), got(error, schema) + whyNoTime(error) + suggestListed(error, suggest)];
  }
  const texts = texters[keyword]?.({ error, value, schema, suggest, strict }) ?? otherValue;
  return typeof texts === 'string' ? [texts, got(error, schema)] : texts;
}

const otherValue = "expected another value, as the API's document describes it";

/** The texts about each keyword. */
const texters: Readonly<Record<string, (failed: Failed) => Texts>> = {
  required: ({ error, schema, suggest }) => [
    'required, but missing',
    suggest(() => misspelled(error, schema, suggest), 0.01),
  ],
  additionalProperties: unknown,
  enum: notOneOf,
  const: ({ value }) => `expected ${JSON.stringify(value)}`,
  type: ({ value }) => `expected ${toTypes(value)}`,
  format: ({ value }) => `expected ${toFormat(String(value))}`,
  pattern: ({ value }) => `expected a string that matches ${truncate(String(value))}`,
  multipleOf: ({ value }) => `expected a multiple of ${value}`,
  exclusiveMinimum: ({ value }) => `expected more than ${value}`,
  exclusiveMaximum: ({ value }) => `expected less than ${value}`,
  minimum: ({ value }) => `expected at least ${value}`,
  maximum: ({ value }) => `expected at most ${value}`,
  minLength: ({ error, value }) =>
    value === 1
      ? 'expected a text that is not empty'
      : [`expected at least ${value} characters`, `, got ${lengthOf(error)}`],
  maxLength: ({ error, value }) => [`expected at most ${value} characters`, `, got ${lengthOf(error)}`],
  minItems: countItems,
  maxItems: countItems,
  uniqueItems: ({ error }) => ['expected different items', `, got the same at ${toPlaces(error)}`],
  minProperties: ({ schema }) => [
    `expected at least one of ${Object.keys((schema['properties'] ?? {}) as Json).join(', ')}`,
    '; got {}',
  ],
  maxProperties: ({ error, value }) => [
    `expected at most ${formatCount(Number(value), 'field')}`,
    `, got ${Object.keys(error.data as Json).length}`,
  ],
  dependentRequired: ({ error }) => [`required with ${quote(String(error.params['property']))}, but missing`, ''],
  'x-not-empty': ({ error, schema, strict }) => [
    'expected a text that is not empty',
    got(error, schema) + (strict ? '' : '; the field counts as absent'),
  ],
  'x-longitude-first': ({ error, schema }) => [
    'expected longitude (-180 to 180), then latitude (-90 to 90)',
    `${got(error, schema)}; is longitude first? If not, swap them`,
  ],
  'x-language-code': () => 'expected a language code of ISO 639-1, such as en',
  'x-timestamp': () => `expected ${toFormat('date-time')}`,
};

function toPlaces({ params }: ErrorObject): string {
  const places = [params['i'], params['j']].map(Number);
  return places.toSorted((a, b) => a - b).join(' and ');
}

/** Says which part of a timestamp is wrong. */
function whyNoTime({ keyword, schema, data }: ErrorObject): string {
  const isTime = keyword === 'format' && typeof data === 'string' && String(schema).startsWith('date-');
  const why = isTime ? explainTimestamp(truncate(data)) : undefined;
  return why === undefined ? '' : `; ${why}`;
}

/** Suggests a name for the first one of a list, separated by commas, that its pattern does not have. */
function suggestListed({ keyword, schema, data }: ErrorObject, suggest: Suggest): string {
  const [, listed] = (keyword === 'pattern' && /^\^\(([\w|]+)\)\(,/.exec(String(schema))) || [];
  const names = listed?.split('|') ?? [];
  const wrong =
    listed === undefined
      ? undefined
      : String(data)
          .split(',')
          .find((name) => !names.includes(name));
  return wrong === undefined ? '' : suggest(() => didYouMean(wrong, names));
}

/** Returns the suggestion if the field was sent under another name. */
function misspelled(error: ErrorObject, schema: Json, suggest: Suggest): string {
  const name = String(error.params['missingProperty']);
  const fieldNames = Object.keys((schema['properties'] ?? {}) as Json);
  const others = Object.keys((error.data ?? {}) as Json).slice(0, 100);
  const sent = others.find(
    (other) => !fieldNames.includes(other) && (nearest(other, [name]) === name || isShort(other, name)),
  );
  const isMeant = sent !== undefined && (isShort(sent, name) || suggest(() => didYouMean(sent, [name])) !== '');
  return isMeant ? `; got ${quote(sent)}, did you mean ${name}?` : '';
}

/** Whether a name is only the end of another, as `id` is of `deviceId`. */
function isShort(name: string, full: string): boolean {
  return full.endsWith(name.charAt(0).toUpperCase() + name.slice(1));
}

function unknown({ error, schema, suggest, strict }: Failed): Texts {
  const name = String(error.params['additionalProperty']);
  const ignored = strict ? '' : '; it is ignored';
  const reasons = (schema['x-not-allowed'] ?? {}) as Json;
  if (Object.hasOwn(reasons, name)) return [String(reasons[name]), ignored];
  const fieldNames = Object.keys((schema['properties'] ?? {}) as Json);
  return [`unknown field ${quote(name)}`, suggest(() => didYouMean(name, fieldNames)) + ignored];
}

function notOneOf({ error, value, schema, suggest }: Failed): Texts {
  const names = (value as readonly unknown[]).map(String);
  const { data } = error;
  const suggestion = typeof data === 'string' && !isSecret(schema) ? suggest(() => didYouMean(data, names)) : '';
  const expected = names.length === 1 ? names[0] : `one of ${names.join(', ')}`;
  return [`expected ${expected}`, got(error, schema) + suggestion];
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

function countItems({ error, schema: { minItems: min, maxItems: max } }: Failed): Texts {
  const limit = error.keyword === 'minItems' ? `at least ${min}` : `at most ${max}`;
  return [`expected ${min === max ? `exactly ${min}` : limit} items`, `, got ${(error.data as Json[]).length}`];
}

/** Returns the length as validators count it, in code points. */
function lengthOf({ data }: ErrorObject): number {
  let length = 0;
  for (const _character of String(data)) length += 1;
  return length;
}

/** Returns `, got …` with a primitive value or the type of another value; an empty string if the value is a secret. */
function got(error: ErrorObject, schema: Json): string {
  if (isSecret(schema) || error.keyword === 'required') return '';
  const value: unknown = error.data;
  if (Array.isArray(value) && value.length <= 3 && value.every((item) => typeof item === 'number')) {
    return `, got [${value.join(', ')}]`;
  }
  if (Array.isArray(value)) return `, got an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) {
    if (!['minProperties', 'maxProperties'].includes(error.keyword)) return ', got an object';
    return `, got ${
      Object.keys(value)
        .slice(0, 5)
        .map((name) => truncate(name))
        .join(', ') || 'none'
    }`;
  }
  return `, got ${value === null ? 'null' : typeof value === 'string' ? quote(value) : `${typeof value} ${String(value)}`}`;
}

function isSecret(schema: Json): boolean {
  return schema['writeOnly'] === true || schema['format'] === 'password';
}

/** Formats a text of the request for a message: quoted, truncated, with control characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(truncate(text));
}
