/** Implements the actions of jobs and orders: import, create one, update. */
import { truncate } from '../lib/format.ts';
import type { Json } from '../lib/json.ts';
import type { Action } from './command.ts';
import {
  type Applying,
  checkTransition,
  type EntryFailure,
  eachEntry,
  importEntry,
  toWarning,
  updateEach,
} from './record.ts';

/** Imports jobs. A duplicate fails. */
export const importJobs: Action = eachEntry((applying) => importEntry(applying, 'jobs'));

/** Creates one job. A duplicate fails, whatever the profile says. `deliveryDate` is the current time by default. */
export const createJob: Action = eachEntry((applying) => {
  applying.entry.value['deliveryDate'] ??= applying.context.now;
  return importEntry(applying, 'jobs', 'reject');
});

/** Updates jobs. `driver: null` unassigns the driver; without `driver` it does not change. */
export const updateJobs: Action = updateEach('jobs', (applying, existing) => {
  const failure = checkProof(applying.entry.value, existing) ?? checkTransition(applying, 'jobs', existing);
  if (!failure) warnOfRouteDriver(applying, existing);
  return failure;
});

/** Imports orders. A duplicate fails. */
export const importOrders: Action = eachEntry((applying) => importEntry(applying, 'orders'));

export const updateOrders: Action = updateEach('orders', (applying, existing) =>
  checkTransition(applying, 'orders', existing),
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
function warnOfRouteDriver({ entry: { id, value }, draft, warnings }: Applying, { routeId }: Json): void {
  if (value['driver'] !== null || typeof routeId !== 'string') return;
  if (draft.get('routes', routeId)?.['driver'] == null) return;
  const text = 'the job is unassigned; its route keeps its driver';
  const message = `job ${truncate(id)} is unassigned; its route ${truncate(routeId)} keeps its driver`;
  warnings.push(toWarning('unexpected', text, message));
}
