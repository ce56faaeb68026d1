/** Formats the message of an issue: the expected value, the actual value and a hint for the fix. */
import type { z } from 'zod';
import { truncate } from '../lib/format.ts';
import { escapeControls } from './line-excerpt.ts';
import { mainKeys, requiredKeys, shapeOf } from './schema-shape.ts';

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
    return escapeControls(JSON.stringify(truncate(value)));
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.keys(value).length === 0 ? 'an empty mapping' : 'a mapping';
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
  return origin === 'string' || origin === 'array' ? 'a length of ' : '';
}

/** Names the required keys of a mapping, or its optional keys if none is required. */
function withKeys(schema: unknown): string {
  const shape = schema === undefined ? undefined : shapeOf(schema as z.core.$ZodType);
  if (!shape || Object.keys(shape).length === 0) return '';
  return ` with ${requiredKeys(shape).length > 0 ? '' : 'any of '}${joinNames(mainKeys(shape), 'and')}`;
}

/** Merges several `expected …` messages about one value into one, with the first hint. */
export function mergeExpected(messages: readonly string[]): string {
  const parts = messages.map((message) => message.replace(/^expected /, '').split('\n'));
  const hint = parts.find(({ length }) => length > 1)?.[1];
  const kinds = new Set(parts.map(([text]) => text));
  // "a mapping with a, or with b" rather than "a mapping with a, or a mapping with b".
  const text = [...kinds].join(', or ').replaceAll(/(?<=a mapping .*)a mapping (?=with)/g, '');
  return `expected ${text}${hint === undefined ? '' : `\n${hint}`}`;
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
    return /\btext\b/.test(expected) ? ' (put it in quotes)' : '';
  }
  if (typeof value !== 'string') return '';
  if (/\bnumber\b(?! and ms)/.test(expected) && /^-?\d+(\.\d+)?$/.test(value)) return ' (remove the quotes)';
  if (/\btrue\b/.test(expected) && /^(yes|on|true)$/i.test(value)) return ', did you mean true?';
  return /\bfalse\b/.test(expected) && /^(no|off|false)$/i.test(value) ? ', did you mean false?' : '';
}
