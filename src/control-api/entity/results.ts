/** Determines what came of the entries of one request: applied, rejected, failed or pending. */
import type { Callback, FailedEntry } from '../../callbacks/callback.ts';
import type { Json } from '../../lib/json.ts';
import { toTimestamp } from '../../lib/time.ts';
import type { ControlParts } from '../handler.ts';
import { failedIn, parseBody } from '../named-records.ts';
import type { Naming } from './naming.ts';

/** What happened to the entries of a request with the id. */
export interface Results {
  /** Reasons in the response. */
  readonly rejected: readonly string[];
  /** Reasons in callbacks, with the callback. */
  readonly failed: readonly { readonly callback: Callback; readonly reason: string }[];
  /** When pending entries are due. */
  readonly pendingAt: readonly string[];
  /** Number of entries that were applied, or may have been. */
  readonly applied: number;
  readonly appliedMs: number;
  /** Whether they were applied after the response. */
  readonly isDeferred: boolean;
  /** Ids of all entries that are reported as failed. */
  readonly failedIds: ReadonlySet<string>;
}

/** What a project has of a request after its response. */
export interface Aftermath {
  /** The callbacks that list the id. */
  readonly callbacks: readonly Callback[];
  /** When entries with the id are due, in milliseconds. */
  readonly dueMs: readonly number[];
}

/** Maximum number of mistakes in one reason. */
const maxMistakes = 5;

export function toResults(parts: ControlParts, naming: Naming, aftermath: Aftermath, id: string): Results {
  const { entry, operationId } = naming;
  const { status, observedFailure, evidence } = entry;
  const isSuccess = status >= 200 && status <= 299;
  const isProcessed = observedFailure?.processed ?? isSuccess;
  const isDeferred = isProcessed && parts.modeOf(operationId).mode === 'async';
  const appliedMs = evidence.atMs + (isDeferred ? parts.processingMs : 0);
  const base = { isDeferred, appliedMs };
  if (!isProcessed) {
    const rejected = [isSuccess ? notProcessed(status) : toReason(naming)];
    return { ...base, rejected, failed: [], pendingAt: [], applied: 0, failedIds: new Set() };
  }
  const listed = failedIn(parseBody(entry.responseBody)) ?? naming.parse()?.refused ?? [];
  const reported = aftermath.callbacks.flatMap((callback) =>
    callback.body.data.failed.map((failure) => ({ ...failure, callback })),
  );
  const isOwn = (one: FailedEntry): boolean => one.id === id;
  const rejected = listed.filter(isOwn).map(({ reason }) => reason);
  const failed = reported.filter(isOwn);
  const total = [...naming.counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    ...base,
    rejected,
    failed,
    pendingAt: aftermath.dueMs.map(toTimestamp),
    applied: Math.max(0, total - rejected.length - failed.length - aftermath.dueMs.length),
    failedIds: new Set([...listed, ...reported].map((one) => one.id)),
  };
}

function notProcessed(status: number): string {
  return `a scenario responded with ${status} in place of the API, and the request was not processed`;
}

/** Returns why a request was rejected as a whole: the mistakes of its entries with the id, or its message. */
function toReason({ entry, places }: Naming): string {
  const { problem, responseBody, fault, status } = entry;
  if (status === 0) return `a scenario broke the connection (${fault ?? 'reset'}) before the request was processed`;
  const { message, errors } = (problem ?? parseBody(responseBody)) as {
    readonly message?: unknown;
    readonly errors?: unknown;
  };
  const mistakes = (Array.isArray(errors) ? (errors as readonly Json[]) : []).filter(({ path }) =>
    places.some((place) => place === '' || path === place || String(path).startsWith(`${place}/`)),
  );
  const own = mistakes.slice(0, maxMistakes).map(({ path, message: text }) => `${path}: ${text}`);
  if (own.length > 0) return own.join('; ');
  return typeof message === 'string' ? message : `the response has the status ${status}`;
}
