/** Schemas and checks of the values that several parts of a profile have. */
import { z } from 'zod';
import { invalidDuration, parseDuration } from '../../../lib/duration.ts';
import { connectionHeaders, createHeadersSchema, framingHeaders, sandboxHeaders } from '../../../lib/header.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import { findMistakes } from '../../../lib/template.ts';
import { sizePattern } from '../profile.ts';

const durationError = { error: ({ input }: { readonly input?: unknown }) => invalidDuration(input) };
export const duration: z.ZodType<string> = z
  .string(durationError)
  .refine((text) => parseDuration(text) !== undefined, durationError);
export const positiveDuration: z.ZodType<string> = duration.refine((text) => parseDuration(text) !== 0, {
  error: 'expected a duration above 0',
});
export const size: z.ZodType<string> = z
  .string()
  .regex(sizePattern, { error: 'expected a number and B, kB, MB or GB, such as 16MB' });
export const count: z.ZodInt = z.int().min(1);

/** Returns the schema of an object whose fields may be missing. Unlike `partial` of zod, it rejects other empty values. */
export function partial(shape: Readonly<Record<string, z.ZodType>>): z.ZodType {
  return z.strictObject(Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.exactOptional()])));
}

/** Adds an issue for each placeholder that is unknown, and for each single brace. `at`: where the value is. */
export function addTemplateIssues(
  context: z.RefinementCtx,
  value: unknown,
  known: readonly string[],
  at: readonly string[] = [],
): void {
  for (const { path, kind, name } of findMistakes(value, known, at)) {
    const message =
      kind === 'unknown'
        ? `unknown placeholder {${name}}${didYouMean(name, known) || ','} known are ${known.map((one) => `{${one}}`).join(', ')}`
        : `expected a placeholder, such as {${known[0]}}; write ${name}${name} for the character ${name}`;
    context.addIssue({ code: 'custom', message, path: [...path] });
  }
}

/** Headers that no profile sets. */
export const reservedHeaders: readonly string[] = [...framingHeaders, ...connectionHeaders, 'content-type'];

export const responseHeadersSchema: z.ZodType = createHeadersSchema(z, [...reservedHeaders, ...sandboxHeaders]);
