/** What happened to a request, step by step, on the project's clock. */
import type { RequestDetails } from './request-details.ts';
import { type FailedEntry, readMessage, readResponse } from './response-body.ts';
import type { Schemas } from './schemas.ts';

type Callback = Schemas['Callback'];

export type Attempt = Schemas['Attempt'];

interface StepBase {
  readonly atMs: number;
  /** Undefined while the step has not ended. */
  readonly endMs: number | undefined;
}

export type Step =
  | (StepBase & { readonly kind: 'request' })
  /** Deferred entries wait to be processed. */
  | (StepBase & { readonly kind: 'command'; readonly pending: number })
  | (StepBase & { readonly kind: 'results'; readonly failed: readonly FailedEntry[]; readonly isLater: boolean })
  | (StepBase & { readonly kind: 'stored'; readonly changed: readonly Schemas['ChangedRecord'][] })
  | (StepBase & {
      readonly kind: 'attempt';
      readonly callback: Callback;
      readonly index: number;
      readonly attempt: Attempt;
      /** Time since the attempt before; undefined for the first. */
      readonly gapMs: number | undefined;
    })
  | (StepBase & { readonly kind: 'due'; readonly callback: Callback });

/** Returns the steps in the order of their times. `nowMs`: the project's time. */
export function timelineOf({ request, callbacks, appliedAt }: RequestDetails, nowMs: number): readonly Step[] {
  const atMs = Date.parse(request.at);
  const { failed } = readResponse(request.response);
  const processedAt = [appliedAt ?? '', ...callbacks.map((one) => readMessage(one).timestamp)]
    .map((time) => Date.parse(time))
    .filter(Number.isFinite);
  const isDeferred = request.entries.pending > 0 || processedAt.length > 0;
  const received: Step = { kind: 'request', atMs, endMs: atMs + request.durationMs };
  const { pending } = request.entries;
  // All entries are applied at one time, but each of the others may fail at a time of its own.
  const [storedMs = atMs] = processedAt;
  const command: Step = { kind: 'command', atMs, endMs: pending > 0 ? undefined : Math.max(...processedAt), pending };
  const { changed = [] } = request;
  const steps: readonly Step[] = [
    received,
    ...(failed.length > 0 ? [{ kind: 'results', atMs, endMs: atMs, failed, isLater: false } as const] : []),
    ...(isDeferred ? [command] : []),
    ...(changed.length > 0 ? [{ kind: 'stored', atMs: storedMs, endMs: storedMs, changed } as const] : []),
    ...callbacks.flatMap((callback) => stepsOf(callback, nowMs)),
  ];
  return steps.toSorted((one, other) => one.atMs - other.atMs);
}

function stepsOf(callback: Callback, nowMs: number): readonly Step[] {
  const { timestamp, failed } = readMessage(callback);
  const atMs = Date.parse(timestamp);
  const attempts = callback.attempts.map((attempt, index): Step => {
    const startMs = Date.parse(attempt.at);
    const before = callback.attempts[index - 1];
    return {
      kind: 'attempt',
      atMs: startMs,
      endMs: startMs + (attempt.response?.durationMs ?? 0),
      callback,
      index,
      attempt,
      gapMs: before && startMs - Date.parse(before.at),
    };
  });
  const dueMs = Date.parse(callback.dueAt);
  return [
    ...(failed.length > 0 ? [{ kind: 'results', atMs, endMs: atMs, failed, isLater: true } as const] : []),
    ...attempts,
    ...(callback.state === 'scheduled'
      ? [{ kind: 'due', atMs: dueMs, endMs: dueMs > nowMs ? undefined : nowMs, callback } as const]
      : []),
  ];
}

/** Returns the first and the last time of the steps. */
export function spanOf(steps: readonly Step[], nowMs: number): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = Math.min(...steps.map(({ atMs }) => atMs));
  const isOpen = steps.some(({ kind, endMs }) => kind === 'command' && endMs === undefined);
  const ends = steps.flatMap(({ atMs, endMs }) => [atMs, endMs ?? atMs]);
  return { fromMs, toMs: Math.max(...ends, isOpen ? nowMs : 0, fromMs + 1) };
}
