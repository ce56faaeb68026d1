/** Defines the schemas of globs that must match a known name: an operation or a callback type. */
import { z } from 'zod';
import { callbackTypes } from '../callbacks/callback.ts';
import { show } from '../diagnostics/issue-message.ts';
import { operationIds } from '../operations/index.ts';
import { matchesGlob } from './glob.ts';
import type { Globs } from './types.ts';

function createNameSchema(
  noun: string,
  names: readonly string[],
  globsOf: (name: string) => readonly string[],
): z.ZodType<Globs> {
  const globs = names.flatMap(globsOf);
  const isUnknown = (value: string): boolean => !names.some((name) => matchesGlob(value, name));
  const one = z.string().meta({ anyOf: [{ enum: names }, { pattern: '[*?]' }] });
  return z.union([one, z.array(one).min(1, { error: 'expected at least one entry' })]).superRefine((value, context) => {
    // All at once, because a list may have very many mistakes, of which the first hundred are shown.
    const found = [value].flat().flatMap((name, index) => (isUnknown(name) ? [{ name, index }] : []));
    for (const { name, index } of found.slice(0, 200)) {
      const isGlob = /[*?]/.test(name);
      const message = isGlob ? `no ${noun} matches ${show(name)}` : `unknown ${noun} ${show(name)}`;
      const params = { candidates: isGlob ? globs : names };
      context.addIssue({ code: 'custom', message, params, path: Array.isArray(value) ? [index] : [] });
    }
  });
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

/** Operations of a rule or an expectation. */
export const operationSchema: z.ZodType<Globs> = createNameSchema('operation', operationIds, operationGlobs).describe(
  'An operationId, a glob such as async*, or a list of them',
);

/** Types of callbacks. */
export const callbackTypeSchema: z.ZodType<Globs> = createNameSchema(
  'callback type',
  callbackTypes,
  typeGlobs,
).describe('A type such as jobs.import.failed, a glob such as jobs.*, or a list of them');
