/** The language of scenario files as a zod schema. Only parse.ts may import it: zod is slow to load. */
import { RE2JS } from 're2js';
import { z } from 'zod';
import { didYouMean } from '../base/nearest.ts';
import { show } from '../base/schema-issue.ts';
import { thenSchema } from './effect-schema.ts';
import { matchesGlob } from './glob.ts';
import { globs, text, wholeNumber } from './schema-pieces.ts';
import type { Scenario } from './types.ts';

// An own `error` text that begins with `expected` gets what came instead put behind it by the reader of files.

const scenarioName = /^[a-z0-9][a-z0-9-]{0,63}$/;
const nameHelp = 'expected lower-case letters, digits and -, at most 64';
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const ordinal = wholeNumber(1);

const regex = z.string().superRefine((value, context) => {
  try {
    RE2JS.compile(value);
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    context.addIssue(`no regular expression of re2: ${show(reason)}`);
  }
});

const bound = z.union([z.number(), z.string()]).exactOptional();
const bounds = z
  .strictObject({ gt: bound, gte: bound, lt: bound, lte: bound })
  // Aborting, so that a union never takes this for the kind of mapping that was meant.
  .refine((value) => Object.keys(value).length > 0, { error: 'no bound', abort: true })
  .meta({ description: 'Bounds of a number, or of a text in the order of its characters', minProperties: 1 });

const matcher = z
  .union([
    scalar,
    z
      .strictObject({ in: z.array(scalar).min(1, { error: 'expected at least one entry' }) })
      .describe('One of these values'),
    z.strictObject({ matches: regex }).describe('A regular expression (re2, anchored nowhere)'),
    z.strictObject({ exists: z.boolean() }).describe('Whether the field is there'),
    bounds,
  ])
  .describe('A value, a glob (* any characters, ? one), or one of in, matches, exists, gt, gte, lt, lte');

const where = z.record(text, matcher);

const item = z
  .union([
    ordinal,
    z.array(ordinal).min(1, { error: 'expected at least one entry' }),
    z.strictObject({ every: ordinal }).describe('Every nth entry'),
    z.strictObject({ id: globs }).describe('Entries whose id matches'),
    z.strictObject({ where }).describe('Entries whose fields match, by dotted path'),
  ])
  .describe('Makes the rule act on entries of the request: by number (from 1), numbers, every, id or where');

const request = z
  .union([
    z.strictObject({ nth: ordinal }).describe('The nth request only'),
    z
      .strictObject({ from: ordinal, to: ordinal.exactOptional() })
      .refine(({ from, to }) => to === undefined || from <= to, { error: 'to is below from', path: ['to'] })
      .describe('The requests from one to another, both included'),
    z.strictObject({ every: ordinal }).describe('Every nth request'),
  ])
  .describe('Counts the requests that meet all other conditions, per project');

/**
 * The schema of a scenario for an API with these operations.
 * A return type that is not inferred is the check that what zod gives is what types.ts says.
 */
export function createScenarioSchema(operationIds: readonly string[]): z.ZodType<Scenario> {
  const operation = operationSchema(operationIds);
  const when = z
    .strictObject({
      operation: operation.exactOptional(),
      project: globs.describe('Globs of the project id in the URL').exactOptional(),
      subproject: globs.describe('Globs of the subproject id in the URL').exactOptional(),
      item: item.exactOptional(),
      request: request.exactOptional(),
      where: where.describe('Fields of the body by dotted path, or headers.NAME').exactOptional(),
    })
    .describe('When the rule holds: all that is named must; left out, always');
  const rule = z.strictObject({
    name: text.describe('Names the rule in the journal and in expectations').exactOptional(),
    when: when.exactOptional(),
    times: ordinal.describe('On how many requests the rule acts at most').exactOptional(),
    then: thenSchema,
  });
  return z
    .strictObject({
      name: z
        .string()
        .regex(scenarioName, { error: nameHelp })
        .describe('Lower-case letters, digits and -, at most 64'),
      description: z.string().describe('What the scenario is good for').exactOptional(),
      seed: z
        .union([z.string(), z.int({ error: 'expected a whole number' })])
        .describe("In place of the server's seed")
        .exactOptional(),
      rules: z.array(rule).min(1, { error: 'expected at least one rule' }),
    })
    .meta({ title: 'A field-sandbox scenario' });
}

function operationSchema(operationIds: readonly string[]) {
  const one = z
    .string()
    .superRefine((value, context) => {
      const problem = operationProblem(value, operationIds);
      if (problem) context.addIssue(problem);
    })
    .meta({ anyOf: [{ enum: operationIds }, { pattern: '[*?]' }] });
  return z
    .union([one, z.array(one).min(1, { error: 'expected at least one entry' })])
    .describe('An operationId, a glob such as async*, or a list of them');
}

function operationProblem(name: string, operationIds: readonly string[]): string | undefined {
  if (!/[*?]/.test(name)) {
    return operationIds.includes(name) ? undefined : `unknown operation ${show(name)}${didYouMean(name, operationIds)}`;
  }
  if (operationIds.some((operationId) => matchesGlob(name, operationId))) return undefined;
  // A misspelled start is found among the starts of the operations.
  const start = name.indexOf('*') === name.length - 1 ? name.length - 1 : 0;
  const starts = start > 0 ? operationIds.map((operationId) => `${operationId.slice(0, start)}*`) : [];
  return `no operation matches ${show(name)}${didYouMean(name, starts)}`;
}
