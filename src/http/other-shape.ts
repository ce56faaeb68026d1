/** Says what would be right if a body has the shape of another operation: a list for one record, or the reverse. */
import type { Json } from '../lib/json.ts';
import type { RoutedOperation } from '../openapi/router.ts';
import type { Findings } from '../openapi/validate.ts';
import type { Operation } from '../operations/index.ts';

type Operations = ReadonlyMap<string, RoutedOperation>;

/** Adds the hint to the first mistake. */
export function addShapeHint(
  findings: Findings,
  id: string,
  { list }: Operation,
  body: unknown,
  operations: Operations,
): Findings {
  const [first, ...others] = findings.violations;
  if (!first) return findings;
  const hint =
    list === undefined ? hintAtList(findOther(id, operations), body) : hintAtWrapper(list, id, body, operations);
  return hint === '' ? findings : { ...findings, violations: [{ ...first, message: first.message + hint }, ...others] };
}

const lists = ['jobs', 'orders', 'routes', 'locations'];

/** The body of a list has neither the list nor a misspelled one. */
function hintAtWrapper(list: string, id: string, body: unknown, operations: Operations): string {
  const wrapper = `{ "${list}": [ … ] }`;
  if (Array.isArray(body)) return `; wrap the list: ${wrapper}`;
  if (typeof body !== 'object' || body === null || list in body) return '';
  const fields = body as Json;
  const other = lists.find((name) => Array.isArray(fields[name]));
  if (fields['id'] === undefined) return other === undefined ? '' : `; got "${other}"`;
  const single = findOther(id, operations);
  return `; wrap the record: ${wrapper}${single ? `, or send it to ${toName(single)}` : ''}`;
}

/** The body of a single record is a list, or has one. */
function hintAtList(batch: RoutedOperation | undefined, body: unknown): string {
  const named = lists.find((name) => Array.isArray((body as Json | null)?.[name]));
  if (!batch || (named === undefined && !Array.isArray(body))) return '';
  return `; a list goes to ${toName(batch)}`;
}

/** Finds the operation for a list if this one is for a single record, and the reverse: their ids differ by an s. */
function findOther(id: string, operations: Operations): RoutedOperation | undefined {
  const [, start, plural, end] = /^(.*(?:Job|Order|Location))(s?)(InSubproject)?$/.exec(id) ?? [];
  return operations.get(`${start}${plural === 's' ? '' : 's'}${end ?? ''}`);
}

function toName({ id, method, path }: RoutedOperation): string {
  return `${method} ${path} (${id})`;
}
