/** Defines where requests are handled, if several servers share the projects. */
import type { ApiKey } from '../keys/api-key.ts';
import type { Problem } from '../lib/problem.ts';
import type { RawBody } from './body.ts';
import type { ApiRequest } from './exchange.ts';
import type { Reply } from './reply.ts';

/** A request of the API for one project, whose key was checked. */
export interface PlacedRequest {
  readonly request: ApiRequest;
  readonly project: string;
  readonly body: RawBody;
}

/** Runs a request at this server. */
export type RunHere = () => Promise<Reply>;

/** The response, or why no server could give one. */
export type Placed = { readonly reply: Reply } | { readonly problem: Problem };

export interface RequestPlacement {
  /** Applies a request at the server that owns its project. */
  apply(placed: PlacedRequest, here: RunHere): Promise<Placed>;
  /** Lists the projects of a key with a glob that existed before a new one. Undefined if they do not matter. */
  listEarlier(key: ApiKey, project: string): Promise<readonly string[]> | undefined;
}
