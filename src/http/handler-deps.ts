/** Defines the dependencies of the request handler, which `core.ts` creates, and where several servers handle requests. */
import type { CallbackFormat } from '../callbacks/format.ts';
import type { Journal } from '../journal/journal.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { ProjectQuota } from '../keys/project-quota.ts';
import type { InitialClock } from '../lib/clock.ts';
import type { Problem } from '../lib/problem.ts';
import type { WallClock } from '../lib/time.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Profile } from '../openapi/profile/profile.ts';
import type { OperationId } from '../operations/index.ts';
import type { ProjectRegistry } from '../project/registry.ts';
import type { Library } from '../scenarios/library.ts';
import type { Admission } from '../usage/admission.ts';
import type { MaxRate } from '../usage/limits.ts';
import type { RawBody, ShapeLimits } from './body.ts';
import type { ApiRequest } from './exchange.ts';
import type { ApiReplies, Reply, Statuses } from './reply.ts';

export interface RequestHandlerDeps {
  readonly contract: Contract;
  readonly keys: KeyRing;
  readonly projects: ProjectRegistry;
  readonly journal: Journal;
  readonly library: Library;
  readonly wall: WallClock;
  /** Maximum size of a body in bytes, levels of nested objects and lists, and entries of its list. */
  readonly limits: ShapeLimits & Readonly<Record<'bytes' | 'entries' | 'depth', number>>;
  readonly strict: boolean;
  /** Rules of the profile about bodies as a whole. */
  readonly bodyRules: Pick<Profile, 'nulls' | 'users' | 'regions'>;
  readonly maxRate: MaxRate | undefined;
  readonly statuses: Statuses;
  /** Creates responses as the profile wants. */
  readonly replies: ApiReplies;
  readonly processingMs: number;
  /** The form of all callbacks. */
  readonly callbackFormat: CallbackFormat;
  /** Creates an id for a request without a project. */
  createRequestId(): string;
  /** Logs why a request got status 500: its changes could not be saved. */
  logUnsaved(requestId: string, error: unknown): void;
  /** Returns the mode and success status of an operation, with the profile applied. */
  modeOf(operationId: OperationId): { readonly mode: 'sync' | 'async'; readonly status: number | undefined };
  readonly seed: string;
  readonly admission: Admission;
  readonly projectQuota: ProjectQuota;
  /** Initial clock of a project. */
  readonly defaultClock: InitialClock;
  /** Where requests are applied; undefined: at this server. */
  readonly placement?: RequestPlacement | undefined;
}

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
