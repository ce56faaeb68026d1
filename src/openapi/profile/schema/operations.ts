/** The schema of `basePath` and `operations`: where each operation is, and how it responds. */
import { z } from 'zod';
import type { OperationFacts } from '../profile.ts';
import { partial } from './pieces.ts';

/** Mode of operations whose failures no callback reports. */
const onlySync = z.literal('sync', { error: 'expected sync, because no callback reports failures of this operation' });
const controlPath = 'expected a path outside /_sandbox, which is reserved for the control API';

export const basePathSchema: z.ZodType = z
  .string()
  .regex(/^(\/[^\s?#{}/]+)*$/, {
    error: 'expected an empty text, or a path that begins with "/" and does not end with "/"',
  })
  .refine((path) => !isControlPath(path), { error: controlPath });

/** Creates the schema of all operations, by operationId. */
export function createOperationsSchema(facts: ReadonlyMap<string, OperationFacts>): z.ZodType {
  const operations = [...facts].map(([id, { parameters, canBeAsync }]) => {
    const mode = canBeAsync ? z.enum(['sync', 'async']) : onlySync;
    const method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
    const status = z.int().min(200).max(299);
    return [id, partial({ method, path: createPathSchema(parameters), status, mode })];
  });
  return partial(Object.fromEntries(operations));
}

/** Returns the schema of a path template, which must have exactly these parameters, in its path or query. */
function createPathSchema(parameters: readonly string[]): z.ZodType {
  return z.string().superRefine((path, context) => {
    const mistake = checkPath(path, parameters);
    if (mistake) context.addIssue({ code: 'custom', message: mistake });
  });
}

function isControlPath(path: string): boolean {
  return path === '/_sandbox' || path.startsWith('/_sandbox/');
}

function checkPath(path: string, parameters: readonly string[]): string | undefined {
  if (!/^\/[^\s#]*$/.test(path)) return 'expected a path that begins with "/"';
  if (isControlPath(path)) return controlPath;
  const found = [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1] ?? '');
  const missing = parameters.find((name) => !found.includes(name));
  if (missing) return `expected the parameter {${missing}} in the path or its query`;
  const unknown = found.find((name) => !parameters.includes(name));
  if (unknown !== undefined)
    return `expected only the parameters ${parameters.map((name) => `{${name}}`).join(', ')}, got {${unknown}}`;
  return found.length > new Set(found).size ? 'expected each parameter once' : undefined;
}
