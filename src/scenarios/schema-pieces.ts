/** The small pieces that scenario schemas are made of. An `error` that begins with `expected` gets what came put behind it. */
import { z } from 'zod';
import { durationHelp, durationPattern, parseDuration } from '../base/duration.ts';

const longestLatency = '10m';

/** Text of at least one character. */
export const text: z.ZodString = z.string().min(1, { error: 'expected text that is not empty' });

/** A glob or a list of them. */
export const globs: z.ZodUnion<[z.ZodString, z.ZodArray<z.ZodString>]> = z.union([
  text,
  z.array(text).min(1, { error: 'expected at least one entry' }),
]);

/** A duration, such as `2s`. */
export const duration: z.ZodString = z
  .string({ error: `expected ${durationHelp}` })
  .refine((value) => parseDuration(value) !== undefined, { error: `expected ${durationHelp}` })
  .meta({ description: `A duration: ${durationHelp}`, pattern: durationPattern.source });

/** A duration that a caller can be made to wait. */
export const wait: z.ZodString = duration
  .refine((value) => lengthOf(value) <= lengthOf(longestLatency), { error: `expected at most ${longestLatency}` })
  .meta({ description: `A duration: ${durationHelp}; at most ${longestLatency}`, pattern: durationPattern.source });

/** An integer within bounds, both included. */
export function wholeNumber(from: number, to?: number): z.ZodInt {
  const error = `expected a whole number from ${from}${to === undefined ? '' : ` to ${to}`}`;
  const atLeast = z.int({ error }).min(from, { error });
  return to === undefined ? atLeast : atLeast.max(to, { error });
}

/** The milliseconds of a text that is a duration. */
export function lengthOf(value: string): number {
  return parseDuration(value) ?? 0;
}
