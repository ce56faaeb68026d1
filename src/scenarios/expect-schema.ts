/** Defines the expectations of a scenario as a zod schema. */
import { z } from 'zod';
import type { ConditionSchemas } from './condition-schema.ts';
import { callbackTypeSchema, operationSchema } from './name-schema.ts';
import { evenIfInvalid, text, wholeNumber } from './schema-pieces.ts';
import { callbackStates, type Expectation, statusClasses } from './types.ts';

const times = wholeNumber(0);

const statusMistake = {
  error: 'expected a status from 0 (no response) to 599, a class from 2xx to 5xx, or a list of them',
};
const oneStatus = z.union([
  z.int(statusMistake).min(0, statusMistake).max(599, statusMistake),
  z.enum(statusClasses, statusMistake),
]);
const status = z
  .union([oneStatus, z.array(oneStatus, statusMistake).min(1, statusMistake)])
  .describe('Status of the response, a class such as 2xx, or a list of them; 0 if no response was sent');

const bounds = {
  count: times.describe('Exact count').exactOptional(),
  min: times.describe('Minimum count').exactOptional(),
  max: times.describe('Maximum count').exactOptional(),
  after: text.describe('Name of a rule. Counts only what happened after it first fired').exactOptional(),
};

const boundsRule = {
  dependentSchemas: { count: { not: { anyOf: [{ required: ['min'] }, { required: ['max'] }] } } },
} as const;

/** Creates the schema of `expect`. */
export function createExpectSchema({ item }: ConditionSchemas): z.ZodType<readonly Expectation[]> {
  const requests = z
    .strictObject({
      operation: operationSchema.exactOptional(),
      status: status.exactOptional(),
      item: item.describe('Condition that at least one entry must match').exactOptional(),
      ...bounds,
    })
    .superRefine(checkBounds, evenIfInvalid)
    .meta({ description: 'Counts received requests that match all conditions', ...boundsRule });
  const callbacks = z
    .strictObject({
      type: callbackTypeSchema.exactOptional(),
      state: z.enum(callbackStates).describe('State of the callback').exactOptional(),
      operation: operationSchema.exactOptional(),
      ...bounds,
    })
    .superRefine(checkBounds, evenIfInvalid)
    .meta({ description: 'Counts callbacks that match all conditions', ...boundsRule });
  const one = z.union([
    z.strictObject({ requests }).describe('Expected number of requests'),
    z.strictObject({ callbacks }).describe('Expected number of callbacks'),
    z
      .strictObject({ rule: text.describe('Name of a rule of this scenario'), ...bounds })
      .superRefine(checkBounds, evenIfInvalid)
      .meta({ description: 'Expected number of requests on which a rule fired', ...boundsRule }),
  ]);
  return z.array(one);
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
