/**
 * Creates events for requests, callbacks and changes. Events are small and contain no bodies, because they are stored.
 */
import type { Callback } from '../callbacks/callback.ts';
import type { EventLog, NewEvent } from '../journal/events.ts';
import type { Journal, JournalEntry } from '../journal/journal.ts';

/** The changed part of a project or of the server, other than records. */
export type Change = 'reset' | 'fork' | 'clock' | 'scenarios' | 'callback-endpoint' | 'snapshot' | 'library';

/** Maximum length of a path in an event, in characters: a path can be as long as the head of a request. */
const maxPathLength = 300;

/**
 * Publishes a request event. Determines the fired rules only when the event is first sent; if the journal has dropped
 * the request by then, `rules` and `scenarios` are missing.
 */
export function publishRequest(events: EventLog, entry: JournalEntry, journal: Journal): void {
  const { number, id, at, project = null, operation = null, method, status, durationMs } = entry;
  const path = toPath(entry.url);
  const summary = {
    id,
    at,
    project,
    operation,
    method,
    path,
    status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    fault: entry.fault ?? null,
    warnings: entry.warnings.length,
    refused: entry.rejectedCount,
  };
  // Set only while the event is published, so that the stored event does not keep the request's bodies in memory.
  let current: JournalEntry | undefined = entry;
  const listRules = (): { rules?: number; scenarios?: readonly string[] } => {
    if (project === null) return { rules: 0, scenarios: [] };
    const found = current ?? journal.find(project, id);
    // After a reset, a project uses the same ids again.
    if (found?.number !== number) return {};
    const fired = found.explain('fired');
    return { rules: fired.length, scenarios: [...new Set(fired.map(({ scenario }) => scenario))] };
  };
  events.publish({ kind: 'request', project, data: () => ({ ...summary, ...listRules() }) });
  current = undefined;
}

function toPath(url: string): string {
  const queryStart = url.indexOf('?');
  return url.slice(0, queryStart < 0 ? maxPathLength : Math.min(queryStart, maxPathLength));
}

export function toCallbackEvent(
  project: string,
  { id, type, state, requestId, body, dueAt, attempts }: Callback,
): NewEvent {
  const failed = body.data.failed.length;
  const summary = { id, project, type, state, requestId, failed, dueAt, attempts: attempts.length };
  return { kind: 'callback', project, data: () => summary };
}

export function toChangeEvent(what: Change, project: string | null): NewEvent {
  return { kind: 'change', project, data: () => ({ project, what }) };
}
