/** Implements what imports and updates of all records have in common: duplicates, unknown ids, replaced fields. */
import type { Json } from '../lib/json.ts';
import type { CollectionName, Draft, RecordReader } from '../records/records.ts';
import { createDraft } from '../records/records.ts';
import {
  type Action,
  type ActionContext,
  type ActionResult,
  type Command,
  type Entry,
  type Failure,
  nouns,
} from './command.ts';

/** A failure of one entry, without its position. */
export type EntryFailure = Pick<Failure, 'kind' | 'reason'>;

/** Applies one entry to the draft, or returns its failure. Reports warnings to `warn`. */
type Step = (
  draft: Draft,
  entry: Entry,
  command: Command,
  context: ActionContext,
  warn: (text: string) => void,
) => EntryFailure | undefined;

/** Creates an action that applies the entries one after another. A failed entry does not stop the others. */
export function eachEntry(step: Step): Action {
  return (reads: RecordReader, command: Command, context: ActionContext): ActionResult => {
    const draft = createDraft(reads);
    const failures: Failure[] = [];
    const warnings: string[] = [];
    for (const entry of command.entries) {
      const failure = step(draft, entry, command, context, (text) => warnings.push(text));
      if (failure) failures.push({ order: entry.item, id: entry.id, ...failure });
    }
    return { writes: draft.writes, failures, warnings };
  };
}

/** Creates a record, or returns a failure if the id exists and duplicates are rejected. */
export function create(
  draft: Draft,
  collection: CollectionName,
  id: string,
  fields: Json,
  context: ActionContext,
): EntryFailure | undefined {
  const existing = draft.get(collection, id);
  if (existing && context.duplicates === 'reject') {
    return { kind: 'duplicate', reason: `${nouns[collection]} ${id} exists already` };
  }
  fields['createdAt'] = existing?.['createdAt'] ?? context.now;
  fields['updatedAt'] = context.now;
  draft.put(collection, id, fields);
  return undefined;
}

/** Returns the failure for an update of an unknown record. */
export function unknownRecord(collection: CollectionName, id: string, context: ActionContext): EntryFailure {
  const hint = context.isPending(collection, id) ? '; an import of it was accepted and is still pending' : '';
  return { kind: 'notFound', reason: `${nouns[collection]} ${id} is unknown${hint}` };
}

/** Replaces each given field as a whole, and leaves the others. `null` is a value too. */
export function replaceFields(
  draft: Draft,
  collection: CollectionName,
  id: string,
  existing: Json,
  fields: Json,
  now: string,
): void {
  draft.put(collection, id, { ...existing, ...fields, updatedAt: now });
}

/**
 * Checks an update through a URL with a subproject other than that of the record. It is applied with a warning, or
 * fails in strict mode.
 */
export function checkSubProject(
  collection: CollectionName,
  existing: Json,
  entry: Entry,
  command: Command,
  context: ActionContext,
  warn: (text: string) => void,
): EntryFailure | undefined {
  const requested = command.subProjectId;
  const own = existing['subProjectId'];
  if (requested === undefined || own === requested || (entry.value['subProjectId'] ?? requested) !== requested)
    return undefined;
  const ownership = typeof own === 'string' ? `belongs to subproject ${own}` : 'belongs to no subproject';
  const reason = `${nouns[collection]} ${entry.id} ${ownership}, and was updated through subproject ${requested}`;
  if (context.strict) return { kind: 'downstream', reason };
  warn(reason);
  return undefined;
}

/** Returns the subproject of an entry: the body's, or else the URL's. */
export function subProjectOf(value: Json, command: Command): string | undefined {
  const own = value['subProjectId'];
  return typeof own === 'string' ? own : command.subProjectId;
}
