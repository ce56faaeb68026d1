/** Defines the expectations of a scenario as a zod schema. */
import { z } from 'zod';
import type { ConditionSchemas } from './condition-schema.ts';
import { evenIfInvalid, globs, text, wholeNumber } from './schema-pieces.ts';
import { callbackStates, type Expectation, type Globs } from './types.ts';

const times = wholeNumber(0);

const bounds = {
  count: times.describe('Exactly so often').exactOptional(),
  min: times.describe('At least so often').exactOptional(),
  max: times.describe('At most so often').exactOptional(),
  after: text.describe('Counts only what came after the rule of this name had first acted').exactOptional(),
};

/** The rules of checkBounds that JSON Schema can express. */
const boundsRule = {
  dependentSchemas: { count: { not: { anyOf: [{ required: ['min'] }, { required: ['max'] }] } } },
} as const;

/** Creates the schema of `expect`; `operation` is the schema of operationIds. */
export function createExpectSchema(
  operation: z.ZodType<Globs>,
  { item }: ConditionSchemas,
): z.ZodType<readonly Expectation[]> {
  const requests = z
    .strictObject({
      operation: operation.exactOptional(),
      status: wholeNumber(0, 599).describe('The status of the answer; 0 where none was sent').exactOptional(),
      item: item.describe('With such an entry').exactOptional(),
      ...bounds,
    })
    .superRefine(checkBounds, evenIfInvalid)
    .meta({ description: 'Requests that came, all that is named', ...boundsRule });
  const callbacks = z
    .strictObject({
      type: globs.describe('Globs of the type, such as jobs.import.failed').exactOptional(),
      state: z.enum(callbackStates).describe('What became of it').exactOptional(),
      operation: operation.exactOptional(),
      ...bounds,
    })
    .superRefine(checkBounds, evenIfInvalid)
    .meta({ description: 'Callbacks that there are, all that is named', ...boundsRule });
  const one = z.union([
    z.strictObject({ requests }).describe('Requests that came'),
    z.strictObject({ callbacks }).describe('Callbacks that there are'),
    z
      .strictObject({ rule: text.describe('The name of a rule of this scenario'), ...bounds })
      .superRefine(checkBounds, evenIfInvalid)
      .meta({ description: 'Requests on which a rule acted', ...boundsRule }),
  ]);
  return z.array(one).min(1, { error: 'expected at least one expectation' });
}

function checkBounds(value: { count?: unknown; min?: unknown; max?: unknown }, context: z.core.$RefinementCtx): void {
  const { count, min, max } = value;
  if (count !== undefined && (min !== undefined || max !== undefined)) {
    context.addIssue({ code: 'custom', path: ['count'], message: '"count" cannot be combined with "min" or "max"' });
  }
  if (typeof min === 'number' && typeof max === 'number' && max < min) {
    context.addIssue({ code: 'custom', path: ['max'], message: '"max" must not be less than "min"' });
  }
}
