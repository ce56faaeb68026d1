/** Loads a callback with the data that its details show. */
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { type ClockReading, readClock } from '../../data/project-clock.ts';
import { loadCallback } from '../../data/request-details.ts';

export interface ShownCallback {
  readonly callback: Schemas['Callback'];
  readonly endpoint: Schemas['CallbackEndpoint'];
  readonly reading: ClockReading;
  /** The attempts that are still pending, including those of copies. */
  readonly due: readonly Schemas['PendingThing'][];
  /** The request that caused the callback, while the journal contains it. */
  readonly request: Schemas['RequestSummary'] | undefined;
}

export async function loadShownCallback(project: string, id: string): Promise<ShownCallback> {
  const callback = await loadCallback(project, id);
  const [endpoint, reading, pending, request] = await Promise.all([
    callApi<Schemas['CallbackEndpoint']>('GET', projectPath(project, '/callback-endpoint')),
    readClock(project),
    callApi<Schemas['PendingPage']>('GET', projectPath(project, '/pending?limit=1000')),
    findRequest(project, callback.requestId),
  ]);
  return { callback, endpoint, reading, due: pending.items.filter(({ callbackId }) => callbackId === id), request };
}

/** Returns the request, or undefined if the journal does not contain it anymore. */
async function findRequest(project: string, id: string): Promise<Schemas['RequestSummary'] | undefined> {
  try {
    return await callApi('GET', projectPath(project, `/requests/${encodeURIComponent(id)}`));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
