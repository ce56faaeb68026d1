/** Builds the events of one id, in order of the project's time. */
import type { Callback } from '../../callbacks/callback.ts';
import type { SettingEntry } from '../../journal/control-change.ts';
import type { Json } from '../../lib/json.ts';
import type { Slices } from '../../lib/slices.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { Project } from '../../project/project.ts';
import type { ControlParts } from '../handler.ts';
import { createEffects, idsIn, type LaterEffects } from '../requests/later-effects.ts';
import { toFieldChanges } from './field-changes.ts';
import { findNaming, type Naming, type RecordCollection } from './naming.ts';
import { applyNaming, type NextVersion, toCollectionName } from './record-values.ts';
import { type Aftermath, type Results, toResults } from './results.ts';

export type EntityEvent = components['schemas']['EntityEvent'];

/** An event before the changed fields are known, which depend on all earlier ones. */
interface Draft {
  readonly event: EntityEvent;
  readonly atMs: number;
  /** Work that was due runs before the requests of the same time. */
  readonly isDue: boolean;
  /** Position among the changes of the project. */
  readonly change: number;
  /** Returns the next version of the record, after the last known one. */
  readonly toNext?: (before: Json | undefined) => NextVersion;
}

export interface Timeline {
  readonly events: readonly EntityEvent[];
  /** The collections in which requests name the id. */
  readonly named: ReadonlySet<RecordCollection>;
}

export const recordCollections: readonly RecordCollection[] = ['jobs', 'orders', 'routes', 'users', 'locations'];

export async function buildTimeline(
  parts: ControlParts,
  project: Project,
  id: string,
  slices: Slices,
): Promise<Timeline> {
  const effects = createEffects(parts, () => [project]);
  const named = new Set<RecordCollection>();
  const drafts: Draft[] = [];
  let change = 0;
  for (const entry of parts.journal.list(project.id)) {
    if (slices.isOver()) await slices.next();
    const naming = findNaming(parts, entry, id);
    // A request that never reached the project has no number.
    change = entry.evidence.change || change;
    if (!naming) continue;
    for (const collection of naming.counts.keys()) named.add(collection);
    const aftermath = toAftermath(effects.of(entry) ?? { callbacks: [], due: [] }, id);
    drafts.push(...toDrafts(parts, project, naming, aftermath, change, id));
  }
  for (const setting of parts.journal.settings(project.id)) {
    if (slices.isOver()) await slices.next();
    drafts.push(...toRestored(setting, id));
  }
  drafts.sort((a, b) => a.atMs - b.atMs || Number(b.isDue) - Number(a.isDue) || a.change - b.change);
  return { events: await withChanges(drafts, project, id, slices), named };
}

/** Returns what the project has of a request after its response about one id. */
function toAftermath({ callbacks, due }: Pick<LaterEffects, 'callbacks' | 'due'>, id: string): Aftermath {
  return {
    callbacks: callbacks.filter(({ body: { data } }) =>
      [...data.failed, ...(data.succeeded ?? [])].some((one) => one.id === id),
    ),
    dueMs: due.flatMap(({ atMs, command }) => idsIn(command).flatMap((one) => (one === id ? [atMs] : []))),
  };
}

/** Returns the events of one request: itself, what came of its entries with the id, and its callbacks about them. */
function toDrafts(
  parts: ControlParts,
  project: Project,
  naming: Naming,
  aftermath: Aftermath,
  change: number,
  id: string,
): Draft[] {
  const { entry, operationId, counts } = naming;
  const results = toResults(parts, naming, aftermath, id);
  const origin = { requestId: entry.id, operation: operationId };
  const [collection] = counts.size === 1 ? counts.keys() : [];
  const about = { ...origin, ...(collection && { collection }) };
  const number = entry.evidence.change;
  const atRequest = { atMs: entry.evidence.atMs, isDue: false, change };
  const atResult = (at: string): Pick<Draft, 'atMs' | 'isDue' | 'change'> => {
    const atMs = Date.parse(at);
    return { atMs, isDue: atMs !== atRequest.atMs, change };
  };
  const draft = (at: string, event: Omit<EntityEvent, 'at'>): Draft => ({ ...atResult(at), event: { at, ...event } });
  return [
    {
      ...atRequest,
      event: { at: entry.at, kind: 'request', ...origin, ...(number > 0 && { change: number }), status: entry.status },
    },
    ...results.rejected.map((reason) => draft(entry.at, { kind: 'rejected', ...about, reason })),
    ...(results.applied > 0 ? toApplied(project, naming, results, change, id) : []),
    ...results.failed.map(({ callback, reason }) =>
      draft(callback.body.timestamp, { kind: 'failed', ...about, callbackId: callback.id, reason }),
    ),
    ...results.pendingAt.map((at) => draft(at, { kind: 'pending', ...about })),
    ...aftermath.callbacks.flatMap((callback) =>
      toCallbackEvents(callback).map(({ at, ...event }) => draft(at, event)),
    ),
  ];
}

function toApplied(project: Project, naming: Naming, results: Results, change: number, id: string): Draft[] {
  const { entry, operationId, counts } = naming;
  const { appliedMs: atMs, isDeferred } = results;
  return [...counts.keys()].map((collection) => ({
    atMs,
    isDue: isDeferred && atMs !== entry.evidence.atMs,
    change,
    event: {
      at: toTimestamp(atMs),
      kind: 'applied',
      requestId: entry.id,
      operation: operationId,
      collection,
    },
    toNext: (before) => applyNaming(project, naming, results, { collection, id, before }),
  }));
}

function toCallbackEvents({ id, requestId, operation, change, state, body, attempts }: Callback): EntityEvent[] {
  const origin = { requestId, callbackId: id, operation };
  return [
    { at: body.timestamp, kind: 'callback', ...origin, change, state },
    ...attempts.map(({ at, status, error }): EntityEvent => {
      const result = { ...(status !== undefined && { status }), ...(error !== undefined && { reason: error }) };
      return { at, kind: 'attempt', ...origin, ...result };
    }),
  ];
}

/** Returns the events of a restored snapshot: one for each collection that has the id. */
function toRestored({ setting, atMs, change }: SettingEntry, id: string): Draft[] {
  if (setting.kind !== 'snapshot') return [];
  const snapshot = setting.snapshot as Readonly<Record<string, readonly Json[] | undefined>>;
  return recordCollections.flatMap((collection): Draft[] => {
    const field = collection === 'users' ? 'username' : collection === 'locations' ? 'deviceId' : 'id';
    const found = snapshot[collection]?.findLast((record) => String(record[field]) === id);
    const event: EntityEvent = {
      at: toTimestamp(atMs),
      kind: 'applied',
      change,
      collection,
      operation: 'putSnapshot',
    };
    const { trail: _trail, ...record } = found ?? {};
    return [{ atMs, isDue: false, change, event, toNext: () => ({ record: found && record }) }];
  });
}

/** Adds the changed fields to the events. Adds an event for each record that others have changed since. */
async function withChanges(
  drafts: readonly Draft[],
  { state }: Project,
  id: string,
  slices: Slices,
): Promise<readonly EntityEvent[]> {
  const versions = new Map<RecordCollection, Json>();
  const events: EntityEvent[] = [];
  for (const draft of drafts) {
    if (slices.isOver()) await slices.next();
    const event = toChanged(draft, versions);
    if (event) events.push(event);
  }
  const others = recordCollections.flatMap((collection): EntityEvent[] => {
    const record = state.records[toCollectionName(collection)].get(id);
    const known = versions.get(collection);
    const at = String(record?.['updatedAt'] ?? '');
    if (!record || (known && String(known['updatedAt']) >= at)) return [];
    const changes = toFieldChanges(known ?? {}, record);
    return [{ at, kind: 'applied', collection, reason: known ? byOthers : beforeJournal, changes }];
  });
  return others.length === 0 ? events : [...events, ...others].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

/** Returns the event of a draft with the fields that it changed, and stores the version that it led to. */
function toChanged({ event, toNext }: Draft, versions: Map<RecordCollection, Json>): EntityEvent | undefined {
  const { collection } = event;
  if (!toNext || !collection) return event;
  const before = versions.get(collection);
  const next = toNext(before);
  if ('reason' in next) return { ...event, kind: 'failed', reason: next.reason };
  if (next.record) versions.set(collection, next.record);
  else versions.delete(collection);
  const changes = toFieldChanges(before ?? {}, next.record ?? {});
  return changes.length === 0 && event.operation === 'putSnapshot' ? undefined : { ...event, changes };
}

const byOthers = 'changed by a request that names another record, or that the journal does not have any more';
const beforeJournal = 'created by a request that the journal does not have, or copied from another project';
