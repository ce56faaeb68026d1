/** What importing and updating have in common, whatever the record: duplicates, unknown ids, replaced fields. */
import type { Json } from '../base/json.ts';
import type { CollectionName, Draft, Reads } from '../store/records.ts';
import { createDraft } from '../store/records.ts';
import { type Action, type Effects, type Entry, type Failure, nouns, type Setting, type Task } from './task.ts';

/** What went wrong with one entry, before it is placed among the others. */
export type Trouble = Pick<Failure, 'kind' | 'reason'>;

/** One step of a task: changes the draft, or says why it can't; warnings go to `warn`. */
type Step = (
  draft: Draft,
  entry: Entry,
  task: Task,
  setting: Setting,
  warn: (text: string) => void,
) => Trouble | undefined;

/** An action that takes the entries one after another; a failed one never stops its neighbours. */
export function eachEntry(step: Step): Action {
  return (reads: Reads, task: Task, setting: Setting): Effects => {
    const draft = createDraft(reads);
    const failures: Failure[] = [];
    const warnings: string[] = [];
    for (const entry of task.entries) {
      const trouble = step(draft, entry, task, setting, (text) => warnings.push(text));
      if (trouble) failures.push({ order: entry.item, id: entry.id, ...trouble });
    }
    return { writes: draft.writes, failures, warnings };
  };
}

/** The record that may be created under this id, or why it may not: it exists, and duplicates are rejected. */
export function create(
  draft: Draft,
  collection: CollectionName,
  id: string,
  fields: Json,
  setting: Setting,
): Trouble | undefined {
  const existing = draft.get(collection, id);
  if (existing && setting.duplicates === 'reject') {
    return { kind: 'duplicate', reason: `${nouns[collection]} ${id} exists already` };
  }
  fields['createdAt'] = existing?.['createdAt'] ?? setting.now;
  fields['updatedAt'] = setting.now;
  draft.put(collection, id, fields);
  return undefined;
}

/** Why a record that is not there can't be changed. */
export function unknownRecord(collection: CollectionName, id: string, setting: Setting): Trouble {
  const hint = setting.isPending(collection, id) ? '; an import of it was accepted and is still pending' : '';
  return { kind: 'notFound', reason: `${nouns[collection]} ${id} is unknown${hint}` };
}

/** Each named field replaced whole, the others left: `null` is a value too. */
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

/** An update by the URL of another subproject than the record's is carried out and remarked upon; where strict, it fails. */
export function checkSubProject(
  collection: CollectionName,
  existing: Json,
  entry: Entry,
  task: Task,
  setting: Setting,
  warn: (text: string) => void,
): Trouble | undefined {
  const asked = task.subProjectId;
  const own = existing['subProjectId'];
  if (asked === undefined || own === asked || (entry.value['subProjectId'] ?? asked) !== asked) return undefined;
  const belongs = typeof own === 'string' ? `belongs to subproject ${own}` : 'belongs to no subproject';
  const reason = `${nouns[collection]} ${entry.id} ${belongs}, and was updated through subproject ${asked}`;
  if (setting.strict) return { kind: 'downstream', reason };
  warn(reason);
  return undefined;
}

/** The subproject in force for an entry: the body's over the URL's. */
export function subProjectOf(value: Json, task: Task): string | undefined {
  const own = value['subProjectId'];
  return typeof own === 'string' ? own : task.subProjectId;
}
