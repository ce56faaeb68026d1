/** Loads a request with its callbacks. */
import { callApi, projectPath } from './client.ts';
import type { Schemas } from './schemas.ts';

export interface RequestDetails {
  readonly request: Schemas['RequestSummary'];
  /** The first callbacks of the request. */
  readonly callbacks: readonly Schemas['Callback'][];
  /** Whether the clock of the project is frozen while entries of the request are pending. */
  readonly isFrozen: boolean;
}

/** Maximum number of callbacks that are loaded per request. */
const maxCallbacks = 10;

export async function loadRequest(id: string): Promise<RequestDetails> {
  const request = await callApi<Schemas['RequestSummary']>('GET', `/requests/${encodeURIComponent(id)}`);
  const { project, entries } = request;
  if (project === null) return { request, callbacks: [], isFrozen: false };
  const [clock, ...callbacks] = await Promise.all([
    entries.pending > 0 ? callApi<Schemas['Clock']>('GET', projectPath(project, '/clock')) : undefined,
    ...request.callbacks.slice(0, maxCallbacks).map((one) => loadCallback(project, one)),
  ]);
  return { request, callbacks, isFrozen: clock?.mode === 'frozen' };
}

export function loadCallback(project: string, id: string): Promise<Schemas['Callback']> {
  return callApi('GET', projectPath(project, `/callbacks/${encodeURIComponent(id)}`));
}
