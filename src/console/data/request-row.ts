/** One request of a list, without its bodies. */
import type { RequestEvent } from './events.ts';
import type { Schemas } from './schemas.ts';

export type RequestRow = Schemas['RequestRow'];
export type RequestCounts = Schemas['RequestCounts'];

/** Returns a key that is unique across all projects. */
export function rowKey({ project, id }: Pick<RequestRow, 'project' | 'id'>): string {
  return `${project ?? ''}/${id}`;
}

/** Returns the row of a request that has just arrived. The sandbox processes the entries of a 202 later. */
export function toRow(event: RequestEvent): RequestRow {
  const { accepted = 0, refused, scenarios = [], ids = [], idCount = ids.length, change = null, fault = null } = event;
  const { id, at, project, operation, method, path, status, durationMs, warnings } = event;
  return {
    ...{ id, at, project, change, operation, method, path, status, fault, durationMs, idCount, warnings },
    ids: [...ids],
    entries: { accepted, refused, failed: 0, pending: status === 202 ? accepted : 0 },
    scenarios: [...scenarios],
    callbacks: [],
    callbackCount: 0,
  };
}
