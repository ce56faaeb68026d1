/** Defines the basic schemas of scenario files. For the format of their error texts, see schema-issue.ts. */
import { z } from 'zod';
import { durationHelp, durationPattern, invalidDuration, parseDuration } from '../lib/duration.ts';

const maxLatency = '10m';

export const text: z.ZodString = z.string().min(1, { error: 'expected text that is not empty' });

export const globs: z.ZodUnion<[z.ZodString, z.ZodArray<z.ZodString>]> = z.union([
  text,
  z.array(text).min(1, { error: 'expected at least one entry' }),
]);

/** A duration, such as `2s`. */
export const duration: z.ZodString = z
  .string({ error: ({ input }) => invalidDuration(input) })
  // No `abort`, which would skip the checks of the surrounding mappings.
  .refine((value) => parseDuration(value) !== undefined, { error: ({ input }) => invalidDuration(input) })
  .meta({ description: `A duration: ${durationHelp}`, pattern: durationPattern.source });

/** A duration that delays a response. */
export const wait: z.ZodString = duration
  .refine((value) => isAtMost(value, maxLatency), { error: `expected at most ${maxLatency}` })
  .meta({ description: `A duration: ${durationHelp}; at most ${maxLatency}`, pattern: durationPattern.source });

/** An integer within bounds, both included. */
export function wholeNumber(from: number, to?: number): z.ZodInt {
  const error = `expected a whole number from ${from}${to === undefined ? '' : ` to ${to}`}`;
  const atLeast = z.int({ error }).min(from, { error });
  return to === undefined ? atLeast : atLeast.max(to, { error });
}

/** A number from 0 to 1. */
export const fraction: z.ZodNumber = z.number({ error: invalidFraction }).min(0).max(1);

/** Runs a check of several keys even if one of them is invalid, so that all issues are reported at once. */
export const evenIfInvalid: { readonly when: (payload: z.core.ParsePayload) => boolean } = {
  when: ({ value }) => typeof value === 'object' && value !== null,
};

/** Whether a duration is at most the other. Returns true for an invalid duration, which has its own issue. */
export function isAtMost(value: string, maximum: string): boolean {
  return (parseDuration(value) ?? 0) <= (parseDuration(maximum) ?? Number.POSITIVE_INFINITY);
}

/** The pieces from which the effects build their schemas. They are passed, because zod is slow to load. */
export interface SchemaPieces {
  readonly z: typeof z;
  readonly text: typeof text;
  readonly duration: typeof duration;
  readonly wait: typeof wait;
  readonly wholeNumber: typeof wholeNumber;
  readonly isAtMost: typeof isAtMost;
  readonly evenIfInvalid: typeof evenIfInvalid;
}

export const schemaPieces: SchemaPieces = { z, text, duration, wait, wholeNumber, isAtMost, evenIfInvalid };

// The text after a line break is appended after the actual value.
function invalidFraction({ input }: { readonly input?: unknown }): string {
  const percent = /^(\d+(?:\.\d+)?) ?%?$/.exec(String(input))?.[1];
  const isPercent = percent !== undefined && Number(percent) > 1 && Number(percent) <= 100;
  return `expected a number from 0 to 1${isPercent ? `\n, did you mean ${Number(percent) / 100}?` : ''}`;
}
