/** The schema of `bodies`: the templates. */
import { z } from 'zod';
import { callbackPlaceholders, errorPlaceholders, resultPlaceholders } from '../placeholders.ts';
import type { OperationFacts } from '../profile.ts';
import { addTemplateIssues, partial } from './pieces.ts';

/** Creates the schema of all templates; a placeholder of a result may also be a field of its record. */
export function createBodiesSchema(facts: ReadonlyMap<string, OperationFacts>): z.ZodType {
  const results = [...facts].map(([id, { resultFields }]) => [
    id,
    resultFields
      ? createTemplateSchema([...new Set([...Object.keys(resultPlaceholders), ...resultFields])])
      : createShownSchema(id),
  ]);
  return partial({
    error: createTemplateSchema(Object.keys(errorPlaceholders), 'problem'),
    callback: createTemplateSchema(Object.keys(callbackPlaceholders)),
    ...Object.fromEntries(results),
  });
}

/** Rejects a template for a response that the API's documentation shows. */
function createShownSchema(id: string): z.ZodType {
  return z.never({
    error: `${id} has no template, because the API's documentation shows its response; an overlay can change its fields`,
  });
}

/** Creates the schema of a template, or of the word that stands for a template. */
function createTemplateSchema(known: readonly string[], word?: string): z.ZodType {
  return z.unknown().superRefine((value, context) => {
    if (value === word) return;
    if (value === null) context.addIssue({ code: 'custom', message: 'expected a template' });
    if (word !== undefined && typeof value === 'string' && !value.includes('{')) {
      const message = `expected a template, or the word ${word}`;
      context.addIssue({ code: 'custom', message, params: { candidates: [word] } });
    }
    addTemplateIssues(context, value, known);
  });
}
