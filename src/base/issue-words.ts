/** The words of an issue: what was expected, what came, what would put it right; knows of no place. */
import type { z } from 'zod';
import { requiredKeys, type Shape, shapeOf } from './schema-shape.ts';

const longestQuote = 60;
const mostListed = 12;

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

/** A value for a message: a primitive quoted and cut, of a list or mapping only that it is one. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return quote(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
}

/** As JSON, and what could still turn a terminal's line round as escapes. */
function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Names as a sentence has them, of many the first dozen. */
export function listed(names: readonly string[], last: 'or' | 'and' = 'or'): string {
  const shown =
    names.length > mostListed ? [...names.slice(0, mostListed), `${names.length - mostListed} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} ${last} ${shown.at(-1)}`;
}

/** The text of an issue, for zod; empty where it takes the schema and the value around it to word one. */
export function wordIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames[issue.expected] ?? issue.expected}${withKeys(issue.inst)}`;
    case 'invalid_value':
      return `expected ${issue.values.length > 1 ? 'one of ' : ''}${listed(issue.values.map(String))}`;
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

/** Which keys a mapping must have, or where it must have none, can have. */
function withKeys(schema: unknown): string {
  const shape = schema === undefined ? undefined : shapeOf(schema as z.core.$ZodType);
  if (!shape || Object.keys(shape).length === 0) return '';
  const required = requiredKeys(shape);
  if (required.length > 0) return ` with ${listed(required, 'and')}`;
  const all = Object.keys(shape);
  return all.length === 1 ? ` with ${all[0]}` : ` with any of ${listed(all, 'and')}`;
}

/** The keys by which several kinds of mapping are told apart. */
export function tellingKeys(shapes: readonly Shape[]): readonly string[] {
  const keys = shapes.flatMap((shape) => {
    const required = requiredKeys(shape);
    return required.length > 0 ? required : Object.keys(shape);
  });
  return [...new Set(keys)];
}

/** Several issues of one value, each of which says what another kind of value should be, as one `expected` text. */
export function anyOf(messages: readonly string[]): string {
  const halves = messages.map((message) => message.replace(/^expected /, '').split('\n'));
  const hint = halves.find(([, text]) => text !== undefined)?.[1];
  const kinds = [...new Set(halves.map(([text]) => text ?? ''))];
  // "a mapping with a, or with b" rather than "a mapping with a, or a mapping with b".
  const mapping = 'a mapping ';
  const first = kinds.findIndex((kind) => kind.startsWith(mapping));
  const said = kinds.map((kind, index) =>
    index > first && kind.startsWith(mapping) ? kind.slice(mapping.length) : kind,
  );
  return `expected ${said.join(', or ')}${hint === undefined ? '' : `\n${hint}`}`;
}

/** A message that begins with `expected` together with what came instead; what follows a line break in it goes last. */
export function came(message: string, value: unknown): string {
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
