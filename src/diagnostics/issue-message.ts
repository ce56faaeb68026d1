/** Formats the message of an issue: the expected value, the actual value and a hint for the fix. */
import type { z } from 'zod';
import { requiredKeys, type Shape, shapeOf } from './schema-shape.ts';

const maxQuoteLength = 60;
const maxListed = 12;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** Formats a value for a message. Quotes and truncates a text; names only the type of a list or mapping. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return quote(value.length > maxQuoteLength ? `${value.slice(0, maxQuoteLength)}…` : value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
}

/** Quotes a text as JSON, and escapes control and direction characters that could corrupt a terminal. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Joins names for use in a sentence. Lists at most 12, then the number of the others. */
export function joinNames(names: readonly string[], conjunction: 'or' | 'and' = 'or'): string {
  const shown = names.length > maxListed ? [...names.slice(0, maxListed), `${names.length - maxListed} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} ${conjunction} ${shown.at(-1)}`;
}

/** Returns the message of a zod issue; empty if the message needs the schema and the surrounding value. */
export function toIssueMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames[issue.expected] ?? issue.expected}${withKeys(issue.inst)}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${joinNames(issue.values.map(String))}`;
    case 'too_small':
      return `expected ${sized(issue.origin)}at least ${issue.minimum}`;
    case 'too_big':
      return `expected ${sized(issue.origin)}at most ${issue.maximum}`;
    case 'unrecognized_keys':
    case 'invalid_union':
      return '';
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

/** Names the required keys of a mapping, or its optional keys if none is required. */
function withKeys(schema: unknown): string {
  const shape = schema === undefined ? undefined : shapeOf(schema as z.core.$ZodType);
  if (!shape || Object.keys(shape).length === 0) return '';
  const required = requiredKeys(shape);
  if (required.length > 0) return ` with ${joinNames(required, 'and')}`;
  const all = Object.keys(shape);
  return all.length === 1 ? ` with ${all[0]}` : ` with any of ${joinNames(all, 'and')}`;
}

/** Returns the keys that distinguish several kinds of mapping. */
export function distinguishingKeys(shapes: readonly Shape[]): readonly string[] {
  const keys = shapes.flatMap((shape) => {
    const required = requiredKeys(shape);
    return required.length > 0 ? required : Object.keys(shape);
  });
  return [...new Set(keys)];
}

/** Merges several `expected …` messages about one value into one. */
export function mergeExpected(messages: readonly string[]): string {
  const parts = messages.map((message) => message.replace(/^expected /, '').split('\n'));
  const hint = parts.find(([, text]) => text !== undefined)?.[1];
  const kinds = [...new Set(parts.map(([text]) => text ?? ''))];
  // "a mapping with a, or with b" rather than "a mapping with a, or a mapping with b".
  const mapping = 'a mapping ';
  const first = kinds.findIndex((kind) => kind.startsWith(mapping));
  const alternatives = kinds.map((kind, index) =>
    index > first && kind.startsWith(mapping) ? kind.slice(mapping.length) : kind,
  );
  return `expected ${alternatives.join(', or ')}${hint === undefined ? '' : `\n${hint}`}`;
}

/**
 * Appends the actual value to a message that begins with `expected`. A hint after a line break in the message moves to
 * the end.
 */
export function withActual(message: string, value: unknown): string {
  if (!message.startsWith('expected')) return message;
  const [expected = '', hint] = message.split('\n');
  return `${expected}, got ${show(value)}${hint ?? hintFor(expected, value)}`;
}

function hintFor(expected: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return /\btext\b/.test(expected) ? ' (quotes make it text)' : '';
  }
  if (typeof value === 'string') {
    if (/\bnumber\b(?! and ms)/.test(expected) && /^-?\d+(\.\d+)?$/.test(value))
      return ' (without quotes it is a number)';
    if (!/\btrue\b/.test(expected)) return '';
    if (/^(yes|y|on|true)$/i.test(value)) return ', did you mean true?';
    return /^(no|n|off|false)$/i.test(value) && /\bfalse\b/.test(expected) ? ', did you mean false?' : '';
  }
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMapping && /\ba list\b/.test(expected) ? ' (in a list each entry begins with - and a space)' : '';
}
