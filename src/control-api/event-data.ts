/**
 * Creates events for requests, callbacks and changes. Events are small and contain no bodies, because they are stored.
 */
import type { Callback } from '../callbacks/callback.ts';
import type { JournalEntry } from '../journal/entry.ts';
import type { EventLog, NewEvent } from '../journal/events.ts';
import { type Journal, shownProjectOf } from '../journal/journal.ts';
import { toMarks } from './callbacks/show.ts';
import type { RequestFacts } from './requests/facts.ts';
import { countEntries } from './requests/outcome.ts';
import { toHead } from './requests/row.ts';

/** The changed part of a project or of the server, other than records. */
export type Change = 'reset' | 'fork' | 'clock' | 'scenarios' | 'callback-endpoint' | 'snapshot' | 'library';

/**
 * Publishes a request event. Determines the fired rules and the ids only when the event is first sent; if the journal
 * has dropped the request by then, they are missing.
 */
export function publishRequest(events: EventLog, entry: JournalEntry, journal: Journal, facts: RequestFacts): void {
  const { number, id } = entry;
  const project = shownProjectOf(entry) ?? null;
  const head = toHead(entry);
  const { accepted, refused } = countEntries(entry, undefined, facts);
  const warnings = entry.warnings.length;
  // Set only while the event is published, so that the stored event does not keep the request's bodies in memory.
  let current: JournalEntry | undefined = entry;
  const showDetails = () => {
    if (project === null) return { rules: 0, scenarios: [], ids: [], idCount: 0 };
    const found = current ?? journal.find(project, id);
    // After a reset, a project uses the same ids again.
    if (found?.number !== number) return {};
    const { first, count } = facts.named(found);
    return { rules: found.fired.length, scenarios: facts.scenarios(found), ids: first, idCount: count };
  };
  events.publish({
    kind: 'request',
    project,
    data: () => ({ ...head, warnings, accepted, refused, ...showDetails() }),
  });
  current = undefined;
}

export function toCallbackEvent(project: string, callback: Callback): NewEvent {
  const { id, type, state, requestId, body, dueAt, attempts } = callback;
  const failed = body.data.failed.length;
  const marks = toMarks(callback);
  const summary = { id, project, type, state, requestId, ...marks, failed, dueAt, attempts: attempts.length };
  return { kind: 'callback', project, data: () => summary };
}

export function toChangeEvent(what: Change, project: string | null): NewEvent {
  return { kind: 'change', project, data: () => ({ project, what }) };
}
