/** What is told of a request, a callback and a change, as events: small, so that keeping them keeps no body. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Events, NewEvent } from '../../journal/events.ts';
import type { Journal, JournalEntry } from '../../journal/journal.ts';

/** What of a project or of the server has changed, beside its records. */
export type Change = 'reset' | 'clock' | 'scenarios' | 'callback-endpoint' | 'snapshot' | 'library';

/** Longer paths are cut: clients can make them as long as a head may be. */
const longestPath = 300;

/**
 * Tells of a request that was answered. Which rules fired is worked out when somebody is told; where that is later and
 * the journal has dropped the request, `rules` and `scenarios` are not there.
 */
export function publishRequest(events: Events, entry: JournalEntry, journal: Journal): void {
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
    refused: entry.refused,
  };
  // At hand for whoever is told at once; what is kept of the event must not keep the request's bodies.
  let current: JournalEntry | undefined = entry;
  const tellRules = (): { rules?: number; scenarios?: readonly string[] } => {
    if (project === null) return { rules: 0, scenarios: [] };
    const known = current ?? journal.find(project, id);
    // A project that was reset begins its ids anew.
    if (known?.number !== number) return {};
    const acted = known.explain().filter(({ fired }) => fired);
    return { rules: acted.length, scenarios: [...new Set(acted.map(({ scenario }) => scenario))] };
  };
  events.publish({ kind: 'request', project, data: () => ({ ...summary, ...tellRules() }) });
  current = undefined;
}

function toPath(url: string): string {
  const mark = url.indexOf('?');
  return url.slice(0, mark < 0 ? longestPath : Math.min(mark, longestPath));
}

/** A callback that came to be, or was attempted, or given up: as it was at that moment. */
export function toCallbackEvent(
  project: string,
  { id, type, state, requestId, body, dueAt, attempts }: Callback,
): NewEvent {
  const failed = body.data.failed.length;
  const summary = { id, project, type, state, requestId, failed, dueAt, attempts: attempts.length };
  return { kind: 'callback', project, data: () => summary };
}

/** A change of one project, or of all. */
export function toChangeEvent(what: Change, project: string | null): NewEvent {
  return { kind: 'change', project, data: () => ({ project, what }) };
}
