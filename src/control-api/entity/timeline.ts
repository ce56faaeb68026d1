/** Builds the events of one id, in order of the project's time, from what the journal and the project have of it. */
import type { Callback } from '../../callbacks/callback.ts';
import type { JournalEntry, SettingEntry } from '../../journal/entry.ts';
import type { Json } from '../../lib/json.ts';
import type { Slices } from '../../lib/slices.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { Project } from '../../project/project.ts';
import type { Applied } from '../../records/records.ts';
import type { ControlParts, Schema } from '../handler.ts';
import {
  entriesNaming,
  type NamingEntry,
  type RecordCollection,
  recordCollections,
  toCollectionName,
  writtenBy,
} from '../named-records.ts';
import { compareJson } from '../requests/difference.ts';
import { Effects, idsIn, type LaterEffects } from '../requests/later-effects.ts';
import { readFailures } from '../requests/show.ts';

export type EntityEvent = Schema<'EntityEvent'>;

/** An event, and where it belongs in the order. */
interface Draft {
  readonly event: EntityEvent;
  readonly atMs: number;
  /** Work that was due runs before the requests of the same time. */
  readonly isDue: boolean;
  /** Position among the changes of the project. */
  readonly change: number;
  /** The record that it led to. */
  readonly after?: Json | undefined;
  /** The record before; null if there was none, undefined if it is what the event before has led to. */
  readonly before?: Json | null | undefined;
}

export interface Timeline {
  readonly events: readonly EntityEvent[];
  /** The collections in which requests name the id. */
  readonly named: ReadonlySet<RecordCollection>;
}

export async function buildTimeline(
  parts: ControlParts,
  project: Project,
  id: string,
  slices: Slices,
): Promise<Timeline> {
  const effects = new Effects(parts);
  const named = new Set<RecordCollection>();
  const drafts: Draft[] = [];
  let change = 0;
  for (const entry of parts.journal.list(project.id)) {
    if (slices.isOver()) await slices.next();
    // A request that never reached the project has no number.
    change = entry.evidence.change || change;
    const naming = entriesNaming(entry, id);
    for (const { collection } of naming) named.add(collection);
    drafts.push(...toDrafts(entry, change, { id, naming, later: effects.of(entry) }));
  }
  for (const setting of parts.journal.settings(project.id)) {
    if (slices.isOver()) await slices.next();
    drafts.push(...toRestored(setting, id));
  }
  drafts.sort((a, b) => a.atMs - b.atMs || Number(b.isDue) - Number(a.isDue) || a.change - b.change);
  return { events: withChanges(drafts, project, id), named };
}

/** A request and its callbacks, with what its events about an id have in common. */
interface About {
  readonly entry: JournalEntry;
  readonly id: string;
  readonly callbacks: readonly Callback[];
  readonly origin: Omit<EntityEvent, 'at' | 'kind'>;
  draft(atMs: number, event: Omit<EntityEvent, 'at'>): Draft;
}

/** Returns the events of one request: itself, what came of its entries with the id, and its callbacks about them. */
function toDrafts(
  entry: JournalEntry,
  change: number,
  {
    id,
    naming,
    later,
  }: { readonly id: string; readonly naming: readonly NamingEntry[]; readonly later: LaterEffects | undefined },
): readonly Draft[] {
  const { evidence, operation, status, applied } = entry;
  const draft = (atMs: number, event: Omit<EntityEvent, 'at'>): Draft => {
    return { atMs, isDue: atMs !== evidence.atMs, change, event: { at: toTimestamp(atMs), ...event } };
  };
  const callbacks = (later?.callbacks ?? []).filter(({ body: { data } }) =>
    [...data.failed, ...(data.succeeded ?? [])].some((one) => one.id === id),
  );
  const [collection, ...others] = new Set(naming.map((one) => one.collection));
  const origin = { requestId: entry.id, operation, collection: others.length === 0 ? collection : undefined };
  const about = { entry, id, callbacks, origin, draft };
  const results = applied.flatMap((one, index) => toResults(about, one, index > 0));
  if (naming.length === 0 && results.length === 0) return [];
  const dueMs = (later?.due ?? []).flatMap(({ atMs, command }) =>
    idsIn(command).flatMap((one) => (one === id ? [atMs] : [])),
  );
  const request = { requestId: entry.id, operation, change: evidence.change || undefined, status };
  const rejected = { ...origin, reason: toReason(entry, naming) };
  return [
    draft(evidence.atMs, { kind: 'request', ...request }),
    ...(applied.length === 0 ? [draft(evidence.atMs, { kind: 'rejected', ...rejected })] : []),
    ...results,
    ...(results.length + dueMs.length === 0 ? toNotStored(about) : []),
    ...dueMs.map((atMs) => draft(atMs, { kind: 'pending', ...origin })),
    ...callbacks.flatMap(toCallbackEvents).map(({ at, ...event }) => draft(Date.parse(at), event)),
  ];
}

/** Returns why a processed request has no result for a route: all its jobs failed, whose failures are theirs. */
function toNotStored({ entry: { applied }, origin, draft }: About): readonly Draft[] {
  const last = applied.at(-1);
  if (!last || origin.collection !== 'routes') return [];
  const kind = applied.length > 1 ? 'failed' : 'rejected';
  return [draft(last.atMs, { kind, ...origin, reason: 'none of its jobs was accepted' })];
}

/** Returns what a request did to the id, at once or later: it failed, or changed the record of each collection. */
function toResults(
  { id, callbacks, origin, draft }: About,
  { atMs, failed, writes, replaced }: Applied,
  isLater: boolean,
): Draft[] {
  const at = toTimestamp(atMs);
  const failures = failed
    .filter((one) => one.id === id)
    .map(({ reason }): Draft => {
      const callback = callbacks.find(
        ({ body: { timestamp, data } }) => timestamp === at && data.failed.some((one) => one.id === id),
      );
      return draft(atMs, { kind: isLater ? 'failed' : 'rejected', ...origin, callbackId: callback?.id, reason });
    });
  const applied = new Map<RecordCollection, Draft>();
  for (const [index, write] of writes.entries()) {
    const { collection, id: written } = writtenBy(write);
    if (written !== id) continue;
    const known = applied.get(collection);
    const drafted = draft(atMs, { kind: 'applied', ...origin, collection });
    if ('point' in write) applied.set(collection, known ?? drafted);
    else {
      const before = known?.after ? known.before : toBefore(replaced, index, collection);
      applied.set(collection, { ...drafted, after: write.put, before });
    }
  }
  return [...failures, ...applied.values()];
}

/** What a location replaces is not kept: the location before has it. */
function toBefore(replaced: Applied['replaced'], index: number, collection: RecordCollection): Draft['before'] {
  return collection === 'locations' ? undefined : (replaced[index] ?? null);
}

function toCallbackEvents({ id, requestId, operation, change, state, body, attempts }: Callback): EntityEvent[] {
  const origin = { requestId, callbackId: id, operation };
  return [
    { at: body.timestamp, kind: 'callback', ...origin, change, state },
    ...attempts.map(
      ({ at, status, error }): EntityEvent => ({ at, kind: 'attempt', ...origin, status, reason: error }),
    ),
  ];
}

/** Returns the events of a restored snapshot: one for each collection. */
function toRestored({ setting, atMs, change }: SettingEntry, id: string): Draft[] {
  if (setting.kind !== 'snapshot') return [];
  const snapshot = setting.snapshot as Readonly<Record<string, readonly Json[] | undefined>>;
  return recordCollections.map((collection): Draft => {
    const field = collection === 'users' ? 'username' : collection === 'locations' ? 'deviceId' : 'id';
    const found = snapshot[collection]?.findLast((record) => String(record[field]) === id);
    const event = { at: toTimestamp(atMs), kind: 'applied', change, collection, operation: restoring } as const;
    const { trail: _trail, ...record } = found ?? {};
    return { atMs, isDue: false, change, event, after: found && record };
  });
}

const restoring = 'putSnapshot';

/** Adds the changed fields to the events. Adds an event for each record that others have changed since. */
function withChanges(drafts: readonly Draft[], { state }: Project, id: string): readonly EntityEvent[] {
  const versions = new Map<RecordCollection, Json>();
  const events = drafts.flatMap((draft) => toChanged(draft, versions));
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

/** Returns the event of a draft with the fields that it changed, and notes the record that it led to. */
function toChanged({ event, after, before }: Draft, versions: Map<RecordCollection, Json>): readonly EntityEvent[] {
  const { collection, kind, operation } = event;
  if (kind !== 'applied' || !collection) return [event];
  const isRestored = operation === restoring;
  if (!after && !isRestored) return [{ ...event, changes: [] }];
  const changes = toFieldChanges((before === undefined ? versions.get(collection) : before) ?? {}, after ?? {});
  if (after) versions.set(collection, after);
  else versions.delete(collection);
  return changes.length === 0 && isRestored ? [] : [{ ...event, changes }];
}

const byOthers = 'changed by a request that the journal does not have any more';
const beforeJournal = 'created by a request that the journal does not have, or copied from another project';

/** Returns the changed fields, with those of nested objects. A list counts as one value. */
function toFieldChanges(before: Json, after: Json) {
  // Every change sets these: the event has the time.
  const { createdAt: _, updatedAt: __, ...old } = before;
  const { createdAt: ___, updatedAt: ____, ...own } = after;
  return compareJson(old, own, hasFields);
}

/** Whether a value is compared field by field: the fields of a new object are new too. */
function hasFields(from: unknown, to: unknown): boolean {
  return isObject(to) && (isObject(from) || (from === undefined && Object.keys(to).length > 0));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Maximum number of mistakes in one reason. */
const maxMistakes = 5;

/** Says why a request was not processed: the mistakes of its entries with the id, or the message of its response. */
function toReason(entry: JournalEntry, naming: readonly NamingEntry[]): string {
  const { status, fault } = entry;
  if (status >= 200 && status <= 299)
    return `a scenario responded with ${status} in place of the API, and the request was not processed`;
  if (status === 0) return `a scenario broke the connection (${fault ?? 'reset'}) before the request was processed`;
  const { message, errors } = readFailures(entry);
  const mistakes = errors.filter(({ path }) =>
    naming.some(({ place }) => place === '' || path === place || path.startsWith(`${place}/`)),
  );
  const own = mistakes.slice(0, maxMistakes).map(({ path, message: text }) => `${path}: ${text}`);
  if (own.length > 0) return own.join('; ');
  return message || `the response has the status ${status}`;
}
