/** Conditions on fields and on entries, as zod schemas. */
import { RE2JS } from 're2js';
import { z } from 'zod';
import { show } from '../base/issue-words.ts';
import { globs, text, wholeNumber } from './schema-pieces.ts';
import type { ItemCondition, Where } from './types.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const ordinal = wholeNumber(1);

// Compiling one may take a millisecond, and a scenario is untrusted.
const longestRegex = 1000;
const mostRegexes = 500;

/** An expression. One that stands in many places is compiled once, and of too many different ones no more are. */
function createRegexSchema(): z.ZodString {
  const problems = new Map<string, string | undefined>();
  return z
    .string()
    .max(longestRegex, { error: `expected a regular expression of at most ${longestRegex} characters`, abort: true })
    .superRefine((value, context) => {
      if (!problems.has(value)) problems.set(value, problems.size < mostRegexes ? regexProblem(value) : tooMany);
      const problem = problems.get(value);
      if (problem !== undefined) context.addIssue(problem);
    });
}

const tooMany = `more than ${mostRegexes} different regular expressions in one scenario`;

function regexProblem(value: string): string | undefined {
  try {
    RE2JS.compile(value);
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    const hint = /\(\?<?[=!]|\\[1-9]/.test(value) ? ' (it has no lookahead, lookbehind or back references)' : '';
    return `no regular expression of re2${hint}: ${show(reason)}`;
  }
}

const bound = z.union([z.number(), z.string()]);
const bounds = z
  .strictObject({
    gt: bound.describe('Greater than this').exactOptional(),
    gte: bound.describe('This or greater').exactOptional(),
    lt: bound.describe('Less than this').exactOptional(),
    lte: bound.describe('This or less').exactOptional(),
  })
  // Aborting, so that a union never takes this for the kind of mapping that was meant.
  .refine((value) => Object.keys(value).length > 0, { error: 'no bound', abort: true })
  .meta({ description: 'Bounds of a number, or of a text in the order of its characters', minProperties: 1 });

/** The conditions of one scenario. */
export interface ConditionSchemas {
  /** Conditions on fields, by dotted path. */
  readonly where: z.ZodType<Where>;
  /** Which entries of a request. */
  readonly item: z.ZodType<ItemCondition>;
}

/** The conditions for one scenario: how many expressions it has is counted through all of them. */
export function createConditionSchemas(): ConditionSchemas {
  const where = z.record(text, createMatcherSchema());
  return { where, item: createItemSchema(where) };
}

function createMatcherSchema() {
  return z
    .union([
      scalar,
      z
        .strictObject({
          in: z
            .array(scalar)
            .min(1, { error: 'expected at least one entry' })
            .describe('The values, one of which it must be'),
        })
        .describe('One of these values'),
      z
        .strictObject({
          matches: createRegexSchema().describe('A regular expression of re2, found anywhere in the text'),
        })
        .describe('A regular expression (re2, anchored nowhere)'),
      z
        .strictObject({ exists: z.boolean().describe('true: the field is there; false: it is not') })
        .describe('Whether the field is there'),
      bounds,
    ])
    .describe('A value, a glob (* any characters, ? one), or one of in, matches, exists, gt, gte, lt, lte');
}

function createItemSchema(where: z.ZodType<Where>) {
  return z
    .union([
      ordinal,
      z.array(ordinal).min(1, { error: 'expected at least one entry' }),
      z
        .strictObject({ every: ordinal.describe('10 is the tenth entry, the twentieth and so on') })
        .describe('Every nth entry'),
      z.strictObject({ id: globs.describe('Globs of the id, such as FAIL-*') }).describe('Entries whose id matches'),
      z
        .strictObject({ where: where.describe('Fields of the entry by dotted path') })
        .describe('Entries whose fields match, by dotted path'),
    ])
    .describe('Entries of the request: by number (from 1), numbers, every, id or where');
}
