/** Collects the updates of records whose present state is known: what each side says about them. */
import type { Json } from '../../../lib/json.ts';
import { operations } from '../../../operations/index.ts';
import { failuresOf } from '../compare/entries.ts';
import { isObject } from '../exchange.ts';
import { isCreation } from '../mapping/skeleton.ts';
import type { Case } from '../play/play.ts';
import { entriesOf } from './settler.ts';

/** An update of one record. */
export interface Update {
  readonly case: Case;
  readonly id: string;
  readonly fields: Json;
  readonly record: Json;
  /** Whether each side accepts it. */
  readonly ours: boolean;
  readonly real: boolean;
}

export function toUpdates(one: Case): readonly Update[] {
  const { ours, mapped, before, key } = one;
  const { exchange, operation, identifiers } = mapped;
  if (isCreation(operation) || key !== 'valid') return [];
  const { status, body } = exchange.response;
  const { list, idField } = operations[operation];
  const named = identifiers.jobId ?? identifiers.orderId ?? identifiers.username;
  const entries = entriesOf(exchange, list).filter(isObject);
  const ids = entries.map((fields) => named ?? String(fields[idField] ?? ''));
  const failed = (value: unknown): ReadonlySet<string> => new Set(failuresOf(value)?.map(({ id }) => id));
  const [oursFailed, realFailed] = [failed(ours.value), failed(body?.value)];
  return entries.flatMap((fields, index): readonly Update[] => {
    const id = ids[index] ?? '';
    const record = before.get(id);
    if (!record || ids.indexOf(id) !== ids.lastIndexOf(id)) return [];
    const isOurs = ours.kind === undefined && !oursFailed.has(id);
    return [{ case: one, id, fields, record, ours: isOurs, real: status < 300 && !realFailed.has(id) }];
  });
}
