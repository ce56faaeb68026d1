/** Collects the entries of requests, with what both sides made of them. */
import type { Json } from '../../../lib/json.ts';
import { operations } from '../../../operations/index.ts';
import { failuresOf } from '../compare/entries.ts';
import { isObject } from '../exchange.ts';
import { entriesOf } from '../play/assume.ts';
import type { Case } from '../play/play.ts';

export interface SeenEntry {
  readonly value: Json;
  /** The record before the request. */
  readonly record: Json | undefined;
  /** Whether each side accepts it. */
  readonly ours: boolean;
  readonly real: boolean;
  /** Why the real API rejects it, or the request. */
  readonly reason: string;
}

/** Returns the entries of a request, or of the routes in it. Ids that occur twice are left out. */
export function listEntries({ ours, mapped, before }: Case, isInRoute = false): readonly SeenEntry[] {
  const { exchange, operation, identifiers } = mapped;
  const { status, body } = exchange.response;
  const { list, idField, idParam } = operations[operation];
  const listed = entriesOf(exchange, list).filter(isObject);
  const entries = isInRoute ? listed.flatMap(({ jobs }) => (Array.isArray(jobs) ? jobs.filter(isObject) : [])) : listed;
  const idOf = (value: Json): string => (idParam && identifiers[idParam]) ?? String(value[idField] ?? '');
  const ids = entries.map(idOf);
  const oursFailed = new Set(failuresOf(ours.value)?.map(({ id }) => id));
  const reasons = new Map(failuresOf(body?.value)?.map(({ id, reason }) => [id, reason]));
  return entries.flatMap((value, index): readonly SeenEntry[] => {
    const id = ids[index] ?? '';
    if (ids.indexOf(id) !== ids.lastIndexOf(id)) return [];
    return [
      {
        value,
        record: before.get(id),
        ours: ours.kind === undefined && !oursFailed.has(id),
        real: status < 300 && !reasons.has(id),
        reason: reasons.get(id) ?? (status < 300 ? '' : (body?.text ?? '')),
      },
    ];
  });
}
