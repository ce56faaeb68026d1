/** Compares two versions of a record field by field. */
import type { Json } from '../../lib/json.ts';
import type { components } from '../../openapi/control.gen.ts';

export type FieldChange = components['schemas']['FieldChange'];

/** Fields of the sandbox that every change sets: the event has the time. */
const times: ReadonlySet<string> = new Set(['createdAt', 'updatedAt']);

/** Returns the changed fields, with those of nested objects. A list counts as one value. */
export function toFieldChanges(before: Json, after: Json): FieldChange[] {
  return compare(withoutTimes(before), withoutTimes(after), '');
}

function withoutTimes(record: Json): Json {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !times.has(field)));
}

function compare(before: Json, after: Json, path: string): FieldChange[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) => {
    const from = Object.hasOwn(before, field) ? before[field] : undefined;
    const to = Object.hasOwn(after, field) ? after[field] : undefined;
    const place = `${path}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (isObject(to) && (isObject(from) || (from === undefined && Object.keys(to).length > 0)))
      return compare(from ?? {}, to, place);
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    return [{ path: place, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
