/** Defines the schemas of globs that must match a known name: an operation or a callback type. */
import { z } from 'zod';
import { show } from '../diagnostics/issue-message.ts';
import { matchesGlob } from './glob.ts';
import type { Globs } from './types.ts';

/** Creates the schema for the operations of an API. */
export function operationSchema(operationIds: readonly string[]): z.ZodType<Globs> {
  return createNameSchema('operation', operationIds, operationGlobs).describe(
    'An operationId, a glob such as async*, or a list of them',
  );
}

/** Creates the schema for types of callbacks. `removed`: types that a file may still name. */
export function callbackTypeSchema(types: readonly string[], removed: readonly string[]): z.ZodType<Globs> {
  return createNameSchema('callback type', types, typeGlobs, removed).describe(
    'A type such as jobs.import.failed, a glob such as jobs.*, or a list of them',
  );
}

function createNameSchema(
  noun: string,
  names: readonly string[],
  globsOf: (name: string) => readonly string[],
  removed: readonly string[] = [],
): z.ZodType<Globs> {
  const globs = names.flatMap(globsOf);
  const one = z
    .string()
    .superRefine((value, context) => {
      if ([...names, ...removed].some((name) => matchesGlob(value, name))) return;
      const isGlob = /[*?]/.test(value);
      const message = isGlob ? `no ${noun} matches ${show(value)}` : `unknown ${noun} ${show(value)}`;
      context.addIssue({ code: 'custom', message, params: { candidates: isGlob ? globs : names } });
    })
    .meta({ anyOf: [{ enum: names }, { pattern: '[*?]' }] });
  return z.union([one, z.array(one).min(1, { error: 'expected at least one entry' })]);
}

/** Returns the likely globs for an operation: prefixes of its name, and single words of it. */
function operationGlobs(operationId: string): readonly string[] {
  const words = operationId.split(/(?=[A-Z])/);
  return words.flatMap((word, index) => [`${words.slice(0, index + 1).join('')}*`, `*${word}*`]);
}

/** Returns the likely globs for a type such as jobs.import.failed. */
function typeGlobs(type: string): readonly string[] {
  const [records, change] = type.split('.');
  return [`${records}.*`, `${records}.*.failed`, `*.${change}.failed`, `*.${change}.*`];
}
