/** Implements what imports and updates of all records have in common: duplicates, unknown ids, replaced fields. */
import { truncate } from '../lib/format.ts';
import { isObject, type Json } from '../lib/json.ts';
import type { CauseKind, Warning } from '../lib/problem.ts';
import { type CollectionName, createDraft, type Draft } from '../records/records.ts';
import { type Action, type ActionContext, type Command, type Entry, type Failure, nouns } from './command.ts';

/** A failure of one entry, without its position. */
export type EntryFailure = Pick<Failure, 'kind' | 'reason' | 'cause'>;

/** Creates a warning about an entry. `text`: the cause, without ids. */
export function toWarning(kind: CauseKind, text: string, message: string): Warning {
  return { path: '', message, cause: { kind, place: '', text } };
}

/** One entry that is applied to a draft, with its command. Warnings are added to the list. */
export interface Applying {
  readonly draft: Draft;
  readonly entry: Entry;
  readonly command: Command;
  readonly context: ActionContext;
  readonly warnings: Warning[];
}

/** Creates an action that applies the entries one after another. A failed entry does not stop the others. */
export function eachEntry(apply: (applying: Applying) => EntryFailure | undefined): Action {
  return (reads, command, context) => {
    const draft = createDraft(reads);
    const failures: Failure[] = [];
    const warnings: Warning[] = [];
    for (const entry of command.entries) {
      const failure = apply({ draft, entry, command, context, warnings });
      if (failure) failures.push({ order: entry.item, id: entry.id, ...failure });
    }
    return { writes: draft.writes, failures, warnings };
  };
}

/** Creates a record, or returns a failure if the id exists and is not to be replaced. */
export function create(
  { draft, entry: { id, item }, context }: Applying,
  collection: 'jobs' | 'orders' | 'users',
  fields: Json,
  ofExisting: 'reject' | 'replace' = context.rules.duplicates[collection],
): EntryFailure | undefined {
  const existing = draft.get(collection, id);
  if (existing && ofExisting === 'reject') {
    const earlier = draft.origins.get(existing);
    const [start, end] =
      earlier === undefined ? ['', ''] : [`entry ${item}: `, `, from entry ${earlier} of this request`];
    return {
      kind: 'duplicate',
      reason: `${start}${nouns[collection]} ${truncate(id)} exists already${end}`,
      cause: { kind: 'duplicate', place: '', text: `the ${nouns[collection]} exists already` },
    };
  }
  fields['createdAt'] = existing?.['createdAt'] ?? context.now;
  // A job that is replaced stays in its route, which lists it.
  if (existing?.['routeId'] !== undefined) fields['routeId'] ??= existing['routeId'];
  fields['updatedAt'] = context.now;
  draft.put(collection, id, fields);
  draft.origins.set(fields, item);
  return undefined;
}

/** Returns the failure for an update of an unknown record. */
function unknownRecord(collection: CollectionName, id: string, context: ActionContext): EntryFailure {
  const isPending = context.pendingImports(collection, id).length > 0;
  const hint = isPending ? '; an import of it was accepted and is still pending' : '';
  return {
    kind: 'notFound',
    reason: `${nouns[collection]} ${truncate(id)} is unknown${hint}`,
    cause: {
      kind: isPending ? 'pendingRecord' : 'unknownRecord',
      place: '',
      text: `the ${nouns[collection]} is unknown${hint}`,
    },
  };
}

/**
 * Creates an action that updates existing records, with the fields that `toFields` returns. An unknown id fails, and what
 * `check` finds.
 */
export function updateEach(
  collection: CollectionName,
  check: (applying: Applying, existing: Json) => EntryFailure | undefined = () => undefined,
  toFields: (fields: Json, context: ActionContext) => Json = (fields) => fields,
): Action {
  return eachEntry((applying) => {
    const { draft, entry, context } = applying;
    const existing = draft.get(collection, entry.id);
    if (!existing) return unknownRecord(collection, entry.id, context);
    const failure = check(applying, existing) ?? checkSubProject(applying, collection, existing);
    if (failure) return failure;
    const updated = toUpdated(draft, existing, toFields(entry.value, context), context);
    if (!updated) return tooMuchMerged();
    draft.put(collection, entry.id, updated);
    return undefined;
  });
}

/** Maximum number of fields that the merges of one request copy, about 200 ms: a record may grow with each. */
const maxMerged = 200_000;

/** Written when it is needed: the first number with commas loads the rules of languages, which takes 6 MB. */
export function tooMuchMerged(): EntryFailure {
  const text = `its fields are not merged: one request copies at most ${maxMerged.toLocaleString('en')} fields`;
  return { kind: 'downstream', reason: text, cause: { kind: 'tooLarge', place: '', text } };
}

/**
 * Returns a record with the given fields. Each replaces the stored one as a whole, or objects are merged at every level
 * if the profile says so; the other fields stay. `null` is a value too. Returns undefined if that is too much.
 */
export function toUpdated(draft: Draft, existing: Json, fields: Json, { rules, now }: ActionContext): Json | undefined {
  if (draft.merged > maxMerged) return undefined;
  const updated = rules.updates.nested === 'merge' ? merge(existing, fields, draft) : fields;
  if (draft.merged > maxMerged) return undefined;
  // V8 copies parsed objects this way several times as fast as by spreading them.
  return Object.assign({}, existing, updated, { updatedAt: now });
}

function merge(existing: Json, fields: Json, draft: Draft): Json {
  const merged = Object.entries(fields).map(([name, value]) => {
    const before = Object.hasOwn(existing, name) ? existing[name] : undefined;
    if (!isObject(before) || !isObject(value)) return [name, value] as const;
    draft.merged += Object.keys(before).length;
    return [name, merge(before, value, draft)] as const;
  });
  return { ...existing, ...Object.fromEntries(merged) };
}

/** Creates a job or order, with its subproject and tracking id. */
export function importEntry(
  applying: Applying,
  collection: 'jobs' | 'orders',
  ofExisting?: 'reject' | 'replace',
  routeId?: string,
): EntryFailure | undefined {
  const { entry, command, context } = applying;
  const { id, value: fields } = entry;
  // The body's subproject, or else the URL's.
  if (typeof fields['subProjectId'] !== 'string' && command.subProjectId !== undefined)
    fields['subProjectId'] = command.subProjectId;
  fields[collection === 'jobs' ? 'trackingId' : 'trackId'] ??= context.trackingId(collection, id);
  if (routeId !== undefined) fields['routeId'] = routeId;
  return create(applying, collection, fields, ofExisting);
}

/**
 * Checks an update through a URL with a subproject other than that of the record. It is applied with a warning, or
 * fails in strict mode or by the profile.
 */
export function checkSubProject(
  { entry, command, context, warnings }: Applying,
  collection: CollectionName,
  existing: Json,
): EntryFailure | undefined {
  const requested = command.subProjectId;
  const own = existing['subProjectId'];
  if (requested === undefined || own === requested || (entry.value['subProjectId'] ?? requested) !== requested)
    return undefined;
  const ownership =
    typeof own === 'string' && own !== '' ? `belongs to subproject ${truncate(own)}` : 'belongs to no subproject';
  const reason = `${nouns[collection]} ${truncate(entry.id)} ${ownership}, and was updated through subproject ${truncate(requested)}`;
  const text = `the ${nouns[collection]} belongs to another subproject`;
  if (context.strict || context.rules.otherSubproject === 'reject')
    return { kind: 'downstream', reason, cause: { kind: 'subproject', place: '', text } };
  warnings.push(toWarning('subproject', text, reason));
  return undefined;
}

/** Returns the failure if the profile does not list the new status. The same status is always valid. */
export function checkTransition(
  { entry: { id, value }, context }: Applying,
  collection: 'jobs' | 'orders',
  existing: Readonly<Record<string, unknown>>,
): EntryFailure | undefined {
  const { status } = value;
  const stored = existing['status'];
  if (typeof status !== 'string' || typeof stored !== 'string' || status === stored) return undefined;
  const following = context.rules.transitions[collection];
  if (!Object.hasOwn(following, stored)) return undefined;
  const allowed = following[stored] ?? [];
  if (allowed.includes(status)) return undefined;
  const expected = allowed.length === 0 ? 'no other status may follow' : `expected ${allowed.join(' or ')}`;
  return {
    kind: 'downstream',
    reason: `${nouns[collection]} ${truncate(id)} is ${stored} and cannot become ${status}: ${expected}`,
    cause: { kind: 'transition', place: 'status', text: `${stored} cannot become ${status}` },
  };
}
