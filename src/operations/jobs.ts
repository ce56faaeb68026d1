/** Implements the actions of jobs: import, create one, update. */
import type { Json } from '../lib/json.ts';
import type { Draft } from '../records/records.ts';
import type { Action, ActionContext, Command, Entry } from './command.ts';
import {
  checkSubProject,
  create,
  type EntryFailure,
  eachEntry,
  replaceFields,
  subProjectOf,
  unknownRecord,
} from './record.ts';

/** Imports jobs. A duplicate fails. */
export const importJobs: Action = eachEntry((draft, entry, command, context) =>
  importJob(draft, entry, command, context),
);

/** Imports one job. The default for `deliveryDate` is the project's current time. */
export const createJob: Action = eachEntry((draft, entry, command, context) => {
  entry.value['deliveryDate'] ??= context.now;
  return importJob(draft, entry, command, context);
});

/**
 * Replaces the given fields of jobs. An unknown id fails. `driver: null` unassigns the driver; without `driver` it does
 * not change.
 */
export const updateJobs: Action = eachEntry((draft, entry, command, context, warn) => {
  const existing = draft.get('jobs', entry.id);
  if (!existing) return unknownRecord('jobs', entry.id, context);
  const proofFailure = checkProof(entry.value, existing);
  if (proofFailure) return proofFailure;
  const subProjectFailure = checkSubProject('jobs', existing, entry, command, context, warn);
  if (subProjectFailure) return subProjectFailure;
  replaceFields(draft, 'jobs', entry.id, existing, entry.value, context.now);
  return undefined;
});

/** Imports one job. `extra` contains fields that its route adds. */
export function importJob(
  draft: Draft,
  entry: Entry,
  command: Command,
  context: ActionContext,
  extra?: Json,
): EntryFailure | undefined {
  const fields = entry.value;
  const subProjectId = subProjectOf(fields, command);
  if (subProjectId !== undefined) fields['subProjectId'] = subProjectId;
  fields['trackingId'] ??= context.trackingId('jobs', entry.id);
  return create(draft, 'jobs', entry.id, extra ? Object.assign(fields, extra) : fields, context);
}

/**
 * Proof of delivery is accepted only with the statuses DELIVERED and UNDELIVERED. If the update has no status, the
 * stored status counts.
 */
function checkProof(fields: Json, existing: Json): EntryFailure | undefined {
  if (fields['proofOfDelivery'] === undefined || fields['status'] !== undefined) return undefined;
  const status = existing['status'];
  if (status === 'DELIVERED' || status === 'UNDELIVERED') return undefined;
  const actual = typeof status === 'string' ? `is ${status}` : 'has no status';
  return {
    kind: 'downstream',
    reason: `proofOfDelivery is accepted only when the job's status is DELIVERED or UNDELIVERED; the stored job ${actual}`,
  };
}
