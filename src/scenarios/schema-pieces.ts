/** The small pieces that scenario schemas are made of. What the texts of errors may be says schema-issue.ts. */
import { z } from 'zod';
import { durationHelp, durationPattern, longestDuration, parseDuration } from '../base/duration.ts';
import { guessDurations } from '../base/duration-guess.ts';

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
  .string({ error: ({ input }) => notDuration(input) })
  // Not aborting: that would keep the checks of all that is around it from running.
  .refine((value) => parseDuration(value) !== undefined, { error: ({ input }) => notDuration(input) })
  .meta({ description: `A duration: ${durationHelp}`, pattern: durationPattern.source });

/** A duration that a caller can be made to wait. */
export const wait: z.ZodString = duration
  .refine((value) => isAtMost(value, longestLatency), { error: `expected at most ${longestLatency}` })
  .meta({ description: `A duration: ${durationHelp}; at most ${longestLatency}`, pattern: durationPattern.source });

/** An integer within bounds, both included. */
export function wholeNumber(from: number, to?: number): z.ZodInt {
  const error = `expected a whole number from ${from}${to === undefined ? '' : ` to ${to}`}`;
  const atLeast = z.int({ error }).min(from, { error });
  return to === undefined ? atLeast : atLeast.max(to, { error });
}

/** A number from 0 to 1. */
export const fraction: z.ZodNumber = z.number({ error: notFraction }).min(0).max(1);

/** Lets a check of several keys run where one of them is wrong by itself: all that is wrong is told at once. */
export const evenIfBroken: { readonly when: (payload: z.core.ParsePayload) => boolean } = {
  when: ({ value }) => typeof value === 'object' && value !== null,
};

/** Whether a duration is no longer than another; what is none has been told of already. */
export function isAtMost(value: string, longest: string): boolean {
  return (parseDuration(value) ?? 0) <= (parseDuration(longest) ?? Number.POSITIVE_INFINITY);
}

// What follows a line break is put behind what came.

function notDuration(input: unknown): string {
  if (typeof input === 'string' && durationPattern.test(input)) return `expected at most ${longestDuration}`;
  const guesses = guessDurations(input);
  return `expected ${durationHelp}${guesses.length > 0 ? `\n, did you mean ${guesses.join(' or ')}?` : ''}`;
}

function notFraction({ input }: { readonly input?: unknown }): string {
  const percent = /^(\d+(?:\.\d+)?) ?%?$/.exec(String(input))?.[1];
  const isPercent = percent !== undefined && Number(percent) > 1 && Number(percent) <= 100;
  return `expected a number from 0 to 1${isPercent ? `\n, did you mean ${Number(percent) / 100}?` : ''}`;
}
