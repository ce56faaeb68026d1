/** The schema of `basePath` and `operations`: where each operation is, and how it responds. */
import { z } from 'zod';
import type { OperationFacts } from '../profile.ts';
import { createIdentifiersSchema } from './identifiers.ts';
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

/** Operations whose result the API's documentation does not show, so that it may have no body. */
const hiddenResults = ['registerUser', 'updateUser'];
const noBody = { error: "expected a status of responses with a body, since the API's documentation shows the result" };
const successStatus = z
  .int()
  .min(200)
  .max(299)
  .refine((status) => status !== 205, {
    error: 'expected another status: 205 has no body, and makes clients reset their form',
  });

/** Creates the schema of all operations, by operationId. */
export function createOperationsSchema(facts: ReadonlyMap<string, OperationFacts>): z.ZodType {
  const operations = [...facts].map(([id, { parameters, canBeAsync }]) => {
    const mode = canBeAsync ? z.enum(['sync', 'async']) : onlySync;
    const method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
    const status = hiddenResults.includes(id) ? successStatus : successStatus.refine((one) => one !== 204, noBody);
    const identifiers = createIdentifiersSchema(parameters);
    return [id, partial({ method, path: pathSchema, identifiers, status, mode })];
  });
  return partial(Object.fromEntries(operations));
}

/** The schema of a path template; `createPathsCheck` checks its parameters. */
const pathSchema = z
  .string()
  .regex(/^\/[^\s#]*$/, { error: 'expected a path that begins with "/"' })
  .regex(/^[^?]*(\?[^?&=]+=\{\w+\}(&[^?&=]+=\{\w+\})*)?$/, {
    error: 'expected only parameters of the path after "?", such as "?project={projectId}"',
  })
  .regex(/^([^{}?]*\/\{[^{}/?]*\}(?![^/?]))*[^{}?]*(\?.*)?$/, {
    error: 'expected each parameter to be a whole segment, such as "/orders/{orderId}"',
  })
  .refine((path) => !isControlPath(path), { error: controlPath });

function isControlPath(path: string): boolean {
  return path === '/_sandbox' || path.startsWith('/_sandbox/');
}
