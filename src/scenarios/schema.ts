/** Defines scenario files as a zod schema. Only parse.ts may import it, because zod is slow to load. */
import { z } from 'zod';
import { type ConditionSchemas, createConditionSchemas } from './condition-schema.ts';
import { createExpectSchema } from './expect-schema.ts';
import { operationSchema } from './name-schema.ts';
import { areRuleNamesKnown, checkRuleNames } from './rule-names.ts';
import { duration, fraction, globs, text, wholeNumber } from './schema-pieces.ts';
import { thenSchema } from './then-schema.ts';
import type { Rule, Scenario } from './types.ts';

const scenarioName = /^[a-z0-9][a-z0-9-]{0,63}$/;
const nameHelp = '1 to 64 lowercase letters, digits and -, beginning with a letter or digit';
const ordinal = wholeNumber(1);

const request = z
  .union([
    z.strictObject({ nth: ordinal.describe('Number of the request, from 1') }).describe('Only the nth request'),
    z
      .strictObject({
        from: ordinal.describe('Number of the first request, from 1'),
        to: ordinal.describe('Number of the last request, inclusive. Default: unlimited').exactOptional(),
      })
      .refine(({ from, to }) => to === undefined || from <= to, {
        error: '"to" must not be less than "from"',
        path: ['to'],
      })
      .describe('A range of requests, both ends inclusive'),
    z
      .strictObject({ every: ordinal.describe('5 matches the 5th, the 10th, the 15th request and so on') })
      .describe('Every nth request'),
  ])
  .describe(
    'Which of the requests that meet all other conditions. They are counted per project, or with `scope: server` over all',
  );

const lengthOfSpan = duration.describe('Duration of the time span. Default: unlimited');

const during = z
  .union([
    z
      .strictObject({
        afterRequests: ordinal.describe(
          'Number of requests that must meet the other conditions before the time span begins',
        ),
        for: lengthOfSpan.exactOptional(),
      })
      .describe('A time span that begins once, after a number of requests have met the other conditions'),
    z
      .strictObject({
        after: duration
          .describe('Time from the activation of the scenario to the start of the time span')
          .exactOptional(),
        for: lengthOfSpan.exactOptional(),
      })
      .refine((value) => Object.keys(value).length > 0, {
        error: 'expected after, for or afterRequests',
        abort: true,
        when: ({ issues }) => issues.length === 0,
      })
      .meta({ description: 'A time span that begins at a time after the scenario was activated', minProperties: 1 }),
  ])
  .describe("A time span of the project's clock. Without `for` it does not end");

function createRuleSchema({ item, where }: ConditionSchemas): z.ZodType<Rule> {
  const when = z
    .strictObject({
      operation: operationSchema.exactOptional(),
      project: globs.describe('Globs of the project id in the URL').exactOptional(),
      subproject: globs.describe('Globs of the subproject id in the URL').exactOptional(),
      item: item
        .describe('Selects entries for the rule: by number (from 1), list of numbers, every, id or where')
        .exactOptional(),
      request: request.exactOptional(),
      during: during.exactOptional(),
      where: where.describe('Conditions on fields of the body by dotted path, or on headers.NAME').exactOptional(),
    })
    .describe('Conditions of the rule. All of them must match. Default: the rule matches every request');
  return z
    .strictObject({
      name: text.describe('Name of the rule in the journal and in expectations').exactOptional(),
      scope: z
        .literal('server', { error: 'expected server' })
        .describe(
          'server: counts over all projects, also after a reset of one. Only in scenarios for all projects. Default: each project has its own counts',
        )
        .exactOptional(),
      when: when.exactOptional(),
      chance: fraction
        .describe('Probability that the rule fires, from 0 to 1, decided per entry with `item`, otherwise per request')
        .exactOptional(),
      times: ordinal.describe('Maximum number of requests on which the rule fires').exactOptional(),
      then: thenSchema,
    })
    .describe(
      'Effects, and the conditions under which they apply. For each kind of effect, the first matching rule applies',
    );
}

/**
 * Creates the schema of one scenario, whose regular expressions it counts. The explicit return type makes the compiler
 * check that the zod schema agrees with types.ts.
 */
export function createScenarioSchema(): z.ZodType<Scenario> {
  const conditions = createConditionSchemas();
  return z
    .strictObject({
      name: z
        .string()
        .regex(scenarioName, { error: ({ input }) => invalidName(input) })
        .describe(`Name that activates the scenario: ${nameHelp}`),
      description: z.string().describe('Purpose of the scenario').exactOptional(),
      seed: z
        .union([z.string(), z.int({ error: 'expected a whole number' })])
        .describe("Seed of random values. Default: the server's seed")
        .exactOptional(),
      priority: z
        .literal('first', { error: 'expected first' })
        .describe(
          'first: comes before all other scenarios, and stays active, with its counts over all projects, until the server ends. Only in scenarios of the options. Default: the order of activation',
        )
        .exactOptional(),
      rules: z
        .array(createRuleSchema(conditions))
        .describe('The rules, checked in this order. None if there are only expectations'),
      expect: createExpectSchema(conditions)
        .describe('Expected requests, callbacks and rule activity at the end of a test')
        .exactOptional(),
    })
    .superRefine(checkRuleNames, { when: ({ value, issues }) => areRuleNamesKnown(value, issues) })
    .meta({
      title: 'A field-sandbox scenario',
      description: 'Rules that define how the sandbox responds, and expectations to check at the end',
    });
}

function invalidName(input: unknown): string {
  const guess = String(input)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return `expected ${nameHelp}${scenarioName.test(guess) ? `\n, did you mean ${guess}?` : ''}`;
}
