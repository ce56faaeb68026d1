/**
 * Creates events for requests, callbacks and changes. Events are small and contain no bodies, because they are stored.
 */
import type { Callback } from '../callbacks/callback.ts';
import type { JournalEntry } from '../journal/entry.ts';
import type { NewEvent } from '../journal/events.ts';
import { showHead } from './callbacks/show.ts';
import { countEntries, scenariosOf, showIds, toHead } from './requests/show.ts';

/** The changed part of a project or of the server, other than records. */
export type Change = 'reset' | 'fork' | 'clock' | 'scenarios' | 'callback-endpoint' | 'snapshot' | 'library';

export function toRequestEvent(entry: JournalEntry): NewEvent {
  const head = toHead(entry);
  const { project } = head;
  const { accepted, refused } = countEntries(entry);
  const { ids, idCount } = showIds(entry);
  // This is created for each request. Spreading an object of as many fields takes thirty times as long.
  const data = Object.assign(head, {
    warnings: entry.warnings.length,
    accepted,
    refused,
    rules: entry.fired.length,
    scenarios: scenariosOf(entry),
    ids,
    idCount,
  });
  return { kind: 'request', project, data };
}

export function toCallbackEvent(project: string, callback: Callback): NewEvent {
  const { operation: _, ...head } = showHead(callback);
  const { body, dueAt, attempts } = callback;
  const data = { ...head, project, failed: body.data.failed.length, dueAt, attempts: attempts.length };
  return { kind: 'callback', project, data };
}

export function toChangeEvent(what: Change, project: string | null): NewEvent {
  return { kind: 'change', project, data: { project, what } };
}
