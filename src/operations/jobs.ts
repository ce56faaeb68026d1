/** Implements the actions of jobs and orders: import, create one, update. */
import { truncate } from '../lib/format.ts';
import type { Json } from '../lib/json.ts';
import type { Warning } from '../lib/problem.ts';
import type { Draft } from '../records/records.ts';
import type { Action, Entry } from './command.ts';
import { checkTransition, type EntryFailure, eachEntry, importEntry, toWarning, updateEach } from './record.ts';

/** Imports jobs. A duplicate fails. */
export const importJobs: Action = eachEntry((draft, entry, command, context) =>
  importEntry(draft, 'jobs', entry, command, context),
);

/** Creates one job. A duplicate fails, whatever the profile says. `deliveryDate` is the current time by default. */
export const createJob: Action = eachEntry((draft, entry, command, context) => {
  entry.value['deliveryDate'] ??= context.now;
  return importEntry(draft, 'jobs', entry, command, context, { ofExisting: 'reject' });
});

/** Updates jobs. `driver: null` unassigns the driver; without `driver` it does not change. */
export const updateJobs: Action = updateEach('jobs', undefined, (entry, existing, context, warn, draft) => {
  const failure = checkProof(entry.value, existing) ?? checkTransition('jobs', entry, existing, context.rules);
  if (!failure) warnOfRouteDriver(entry, existing, draft, warn);
  return failure;
});

/** Imports orders. A duplicate fails. */
export const importOrders: Action = eachEntry((draft, entry, command, context) =>
  importEntry(draft, 'orders', entry, command, context),
);

export const updateOrders: Action = updateEach('orders', undefined, (entry, existing, context) =>
  checkTransition('orders', entry, existing, context.rules),
);

/**
 * Proof of delivery is accepted only with the statuses DELIVERED and UNDELIVERED. If the update has no status, the
 * stored status counts.
 */
function checkProof(fields: Json, existing: Json): EntryFailure | undefined {
  if (fields['proofOfDelivery'] === undefined || fields['status'] !== undefined) return undefined;
  const status = existing['status'];
  if (status === 'DELIVERED' || status === 'UNDELIVERED') return undefined;
  const actual = typeof status === 'string' ? `is ${status}` : 'has no status';
  const text = "proofOfDelivery is accepted only when the job's status is DELIVERED or UNDELIVERED";
  return {
    kind: 'downstream',
    reason: `${text}; the stored job ${actual}`,
    cause: { kind: 'proof', place: 'proofOfDelivery', text },
  };
}

/** Warns of a job that is unassigned from its driver while its route has one. */
function warnOfRouteDriver(
  { id, value }: Entry,
  { routeId }: Json,
  draft: Draft,
  warn: (warning: Warning) => void,
): void {
  if (value['driver'] !== null || typeof routeId !== 'string') return;
  if (draft.get('routes', routeId)?.['driver'] == null) return;
  const text = 'the job is unassigned; its route keeps its driver';
  warn(
    toWarning('unexpected', text, `job ${truncate(id)} is unassigned; its route ${truncate(routeId)} keeps its driver`),
  );
}
