/** The rules of jobs: importing, creating one, updating. */
import type { Json } from '../base/json.ts';
import type { Draft } from '../store/records.ts';
import {
  checkSubProject,
  create,
  eachEntry,
  replaceFields,
  subProjectOf,
  type Trouble,
  unknownRecord,
} from './record.ts';
import type { Action, Entry, Setting, Task } from './task.ts';

/** Puts jobs in; a duplicate fails. */
export const importJobs: Action = eachEntry((draft, entry, task, setting) => importJob(draft, entry, task, setting));

/** Puts one job in whose `deliveryDate`, where it names none, is the project's now. */
export const createJob: Action = eachEntry((draft, entry, task, setting) => {
  entry.value['deliveryDate'] ??= setting.now;
  return importJob(draft, entry, task, setting);
});

/** Replaces the named fields of jobs; an unknown id fails. `driver: null` unassigns, an absent `driver` stays. */
export const updateJobs: Action = eachEntry((draft, entry, task, setting, warn) => {
  const existing = draft.get('jobs', entry.id);
  if (!existing) return unknownRecord('jobs', entry.id, setting);
  const refused = checkProof(entry.value, existing);
  if (refused) return refused;
  const strange = checkSubProject('jobs', existing, entry, task, setting, warn);
  if (strange) return strange;
  replaceFields(draft, 'jobs', entry.id, existing, entry.value, setting.now);
  return undefined;
});

/** One job put in; `extra` is what its route adds. */
export function importJob(draft: Draft, entry: Entry, task: Task, setting: Setting, extra?: Json): Trouble | undefined {
  const fields = entry.value;
  const subProjectId = subProjectOf(fields, task);
  if (subProjectId !== undefined) fields['subProjectId'] = subProjectId;
  fields['trackingId'] ??= setting.trackingId('jobs', entry.id);
  return create(draft, 'jobs', entry.id, extra ? Object.assign(fields, extra) : fields, setting);
}

/** Proof of delivery goes with DELIVERED and UNDELIVERED only; where the update names no status, the stored one counts. */
function checkProof(fields: Json, existing: Json): Trouble | undefined {
  if (fields['proofOfDelivery'] === undefined || fields['status'] !== undefined) return undefined;
  const status = existing['status'];
  if (status === 'DELIVERED' || status === 'UNDELIVERED') return undefined;
  const came = typeof status === 'string' ? `is ${status}` : 'has no status';
  return {
    kind: 'downstream',
    reason: `proofOfDelivery is accepted only when the job's status is DELIVERED or UNDELIVERED; the stored job ${came}`,
  };
}
