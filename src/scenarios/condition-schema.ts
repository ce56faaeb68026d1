/** Defines the conditions on fields and on entries as zod schemas. */
import { RE2JS } from 're2js';
import { z } from 'zod';
import { show } from '../diagnostics/issue-message.ts';
import { estimateExpressionSize, maxExpressionSize, maxExpressionSizes } from './expression-size.ts';
import { globs, text, wholeNumber } from './schema-pieces.ts';
import type { FieldConditions, ItemCondition } from './types.ts';

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const ordinal = wholeNumber(1);

// Compiling one expression may take a millisecond, and a scenario is untrusted.
const maxRegexLength = 1000;
const maxRegexes = 500;

/** Creates the schema of an expression. It compiles each different expression once, and stops at the maximum number. */
function createRegexSchema(): z.ZodString {
  const problems = new Map<string, string | undefined>();
  let sizes = 0;
  function check(value: string): string | undefined {
    if (problems.size >= maxRegexes) return tooMany;
    const estimate = estimateExpressionSize(value);
    if (estimate > 2 * maxExpressionSize) return tooLarge(`about ${estimate}`);
    const compiled = compileRegex(value);
    if (typeof compiled === 'string') return compiled;
    const size = compiled.programSize();
    if (size > maxExpressionSize) return tooLarge(String(size));
    sizes += size;
    return sizes > maxExpressionSizes ? tooLargeTogether : undefined;
  }
  return z
    .string()
    .max(maxRegexLength, {
      error: `expected a regular expression of at most ${maxRegexLength} characters`,
      abort: true,
    })
    .superRefine((value, context) => {
      if (!problems.has(value)) problems.set(value, check(value));
      const problem = problems.get(value);
      if (problem !== undefined) context.addIssue(problem);
    });
}

const tooMany = `too many regular expressions: a scenario must have at most ${maxRegexes} different ones`;

const tooLargeTogether = `the regular expressions of a scenario must compile to at most ${maxExpressionSizes} instructions in total: use fewer or simpler ones`;

function tooLarge(size: string): string {
  return `the regular expression must compile to at most ${maxExpressionSize} instructions, got ${size}: reduce its repetitions, such as {1,20} instead of {1,900}`;
}

/** Compiles an expression, or returns an error message. */
function compileRegex(value: string): RE2JS | string {
  try {
    return RE2JS.compile(value);
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    const hint = /\(\?<?[=!]|\\[1-9]/.test(value) ? ' (RE2 has no lookahead, lookbehind or backreferences)' : '';
    return `invalid RE2 regular expression${hint}: ${show(reason)}`;
  }
}

const bound = z.union([z.number(), z.string()]);
const bounds = z
  .strictObject({
    gt: bound.describe('Greater than this').exactOptional(),
    gte: bound.describe('Greater than or equal to this').exactOptional(),
    lt: bound.describe('Less than this').exactOptional(),
    lte: bound.describe('Less than or equal to this').exactOptional(),
  })
  // `abort` prevents a union from choosing this option as the one that was meant.
  .refine((value) => Object.keys(value).length > 0, { error: 'no bound', abort: true })
  .meta({ description: 'Bounds of a number, or of a string (compared by its characters)', minProperties: 1 });

export interface ConditionSchemas {
  readonly where: z.ZodType<FieldConditions>;
  readonly item: z.ZodType<ItemCondition>;
}

/** Creates the schemas for one scenario. They share the count of its regular expressions. */
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
          in: z.array(scalar).min(1, { error: 'expected at least one entry' }).describe('The allowed values'),
        })
        .describe('One of these values'),
      z
        .strictObject({
          matches: createRegexSchema().describe('An RE2 regular expression, which may match anywhere in the text'),
        })
        .describe('An RE2 regular expression, not anchored'),
      z
        .strictObject({ exists: z.boolean().describe('true: the field must exist; false: it must not exist') })
        .describe('Whether the field exists'),
      bounds,
    ])
    .describe('A value, a glob (* any characters, ? one), or one of in, matches, exists, gt, gte, lt, lte');
}

function createItemSchema(where: z.ZodType<FieldConditions>) {
  return z
    .union([
      ordinal,
      z.array(ordinal).min(1, { error: 'expected at least one entry' }),
      z
        .strictObject({ every: ordinal.describe('10 matches the 10th, the 20th, the 30th entry and so on') })
        .describe('Every nth entry'),
      z.strictObject({ id: globs.describe('Globs of the id, such as FAIL-*') }).describe('Entries whose id matches'),
      z
        .strictObject({ where: where.describe('Conditions on fields of the entry, by dotted path') })
        .describe('Entries whose fields match'),
    ])
    .describe('Selects entries of the request: by number (from 1), list of numbers, every, id or where');
}
