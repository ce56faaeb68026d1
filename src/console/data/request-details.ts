/** Loads a request with its callbacks. */
import { callApi, projectPath } from './client.ts';
import { type ClockReading, readClock } from './project-clock.ts';
import type { Schemas } from './schemas.ts';

export interface RequestDetails {
  readonly request: Schemas['RequestSummary'];
  /** The first callbacks of the request. */
  readonly callbacks: readonly Schemas['Callback'][];
  /** When the deferred entries were applied. A callback reports only when entries failed. */
  readonly appliedAt?: string;
  /** The clock of the project; undefined if the request belongs to none. */
  readonly reading?: ClockReading;
  /** Whether the clock of the project is frozen while entries of the request are pending. */
  readonly isFrozen: boolean;
}

/** Maximum number of callbacks that are loaded per request. */
const maxCallbacks = 10;

export async function loadRequest(id: string): Promise<RequestDetails> {
  const request = await callApi<Schemas['RequestSummary']>('GET', `/requests/${encodeURIComponent(id)}`);
  const { project, entries } = request;
  if (project === null) return { request, callbacks: [], isFrozen: false };
  const [reading, ...callbacks] = await Promise.all([
    // A request for an unknown path may name a project that does not exist.
    readClock(project).catch(() => undefined),
    ...request.callbacks.slice(0, maxCallbacks).map((one) => loadCallback(project, one)),
  ]);
  const appliedAt = await findAppliedAt(request);
  const isFrozen = entries.pending > 0 && reading?.clock.mode === 'frozen';
  return { request, callbacks, isFrozen, ...(reading && { reading }), ...(appliedAt && { appliedAt }) };
}

/** Finds when a request took effect, from the events of the first record that it changed. */
async function findAppliedAt(request: Schemas['RequestSummary']): Promise<string | undefined> {
  const { id, project, status, changed: [first] = [] } = request;
  if (project === null || status !== 202 || first === undefined) return undefined;
  const path = projectPath(project, `/entities/${encodeURIComponent(first.id)}?limit=1000`);
  const events = await callApi<Schemas['Entity']>('GET', path).catch(() => undefined);
  return events?.items.find(({ kind, requestId }) => kind === 'applied' && requestId === id)?.at;
}

function loadCallback(project: string, id: string): Promise<Schemas['Callback']> {
  return callApi('GET', projectPath(project, `/callbacks/${encodeURIComponent(id)}`));
}
