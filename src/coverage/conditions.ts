/** Finds the conditions under which a receiver got its callbacks: unchanged, after failed attempts, or disturbed. */
import type { Attempt, Callback, DeliveryFault } from '../callbacks/callback.ts';
import { isDelivered } from '../callbacks/retry.ts';
import { callbackKinds, type FailureKind } from '../scenarios/failure-kinds.ts';

/** A condition that coverage counts; `about` describes it, and `provoke` says how to cause it. */
export interface Condition {
  readonly kind: string;
  readonly about: string;
  readonly provoke: string;
  /** Name of a scenario that causes it, to activate. */
  readonly scenario?: string;
  /** Id of an entry that causes it without an active scenario. */
  readonly magicId?: string;
}

/** Conditions of a callback that no scenario disturbs. */
export const plainConditions: readonly Condition[] = [
  {
    kind: 'delivered',
    about: 'the receiver accepts the first attempt',
    provoke: 'set a callback endpoint that responds with 2xx, and let an entry fail',
  },
  {
    kind: 'retried',
    about: 'the receiver accepts the callback after a failed attempt',
    provoke: 'let the receiver respond with 503 once, then with 2xx',
  },
  {
    kind: 'failed',
    about: 'the receiver accepts no attempt, and the sandbox gives up',
    provoke: 'let the receiver respond with 410 once, or with 503 each time',
  },
];

/** A condition that occurred for a callback. */
export interface ObservedCondition {
  readonly kind: string;
  /** Whether this condition of the callback was reported before, as not delivered. */
  readonly wasReported: boolean;
  readonly delivered: boolean;
}

/** What was already reported about a callback. */
interface Progress {
  attempts: number;
  tries: number;
  copiesLeft: number;
  hasFailed: boolean;
  wasDelivered: boolean;
  hasGivenUp: boolean;
  /** Disturbances that the receiver responded to, and whether the callback was delivered. */
  readonly reported: Map<string, boolean>;
  /** Number of callbacks that are sent in a changed order together, including this one. */
  readonly group: { members: number } | undefined;
}

interface Group {
  readonly dueAt: string;
  readonly members: { members: number };
}

export interface Conditions {
  /** Reports the new conditions of a callback, each once. Returns whether the callback itself is new. */
  observe(project: string, callback: Callback, report: (condition: ObservedCondition) => void): boolean;
  forget(project: string): void;
}

export function createConditions(): Conditions {
  const progressOf = new WeakMap<Callback, Progress>();
  /** The latest group of each project: callbacks in a changed order that are due at the same instant. */
  const groups = new Map<string, Group>();

  function groupOf(project: string, { dueAt, fault }: Callback): Progress['group'] {
    if (!fault?.order) return undefined;
    const latest = groups.get(project);
    const group = latest?.dueAt === dueAt ? latest : { dueAt, members: { members: 0 } };
    groups.set(project, group);
    group.members.members += 1;
    return group.members;
  }

  function startTracking(project: string, callback: Callback): Progress {
    const { copiesLeft } = callback;
    const group = groupOf(project, callback);
    const initial = { attempts: 0, tries: 0, copiesLeft, hasFailed: false, wasDelivered: false, hasGivenUp: false };
    const progress: Progress = { ...initial, reported: new Map(), group };
    progressOf.set(callback, progress);
    return progress;
  }

  return {
    observe: (project, callback, report) => {
      const known = progressOf.get(callback);
      const progress = known ?? startTracking(project, callback);
      const { fault } = callback;
      const isNew = known === undefined;
      if (isNew && fault?.drop)
        for (const kind of kindsOf(fault)) report({ kind, wasReported: false, delivered: false });
      // A redelivery by hand is not disturbed.
      const bySchedule = callback.tries > progress.tries || callback.copiesLeft < progress.copiesLeft;
      const attempts = callback.attempts.slice(progress.attempts);
      if (!fault) reportPlain(callback, attempts, progress, report);
      else if (bySchedule) for (const attempt of attempts) reportDisturbed(callback, fault, attempt, progress, report);
      progress.attempts = callback.attempts.length;
      progress.tries = callback.tries;
      progress.copiesLeft = callback.copiesLeft;
      return isNew;
    },
    forget: (project) => groups.delete(project),
  };
}

function reportPlain(
  { state }: Callback,
  attempts: readonly Attempt[],
  progress: Progress,
  report: (condition: ObservedCondition) => void,
): void {
  for (const attempt of attempts) {
    const delivered = wasDelivered(attempt);
    if (delivered === undefined && attempt.error === undefined) continue;
    if (delivered && !progress.wasDelivered)
      report({ kind: progress.hasFailed ? 'retried' : 'delivered', wasReported: false, delivered });
    progress.wasDelivered ||= delivered === true;
    progress.hasFailed ||= !delivered;
  }
  if (state !== 'failed' || progress.hasGivenUp) return;
  progress.hasGivenUp = true;
  report({ kind: 'failed', wasReported: false, delivered: false });
}

/**
 * Reports the disturbances of an attempt that the receiver responded to. Reports each kind once for each callback, and
 * once more when the callback is delivered after a failed attempt.
 */
function reportDisturbed(
  { attempts, tries }: Callback,
  fault: DeliveryFault,
  attempt: Attempt,
  progress: Progress,
  report: (condition: ObservedCondition) => void,
): void {
  const delivered = wasDelivered(attempt);
  if (delivered === undefined) return;
  for (const kind of kindsOf(fault)) {
    const isAlone = kind.startsWith('callback-order-') && (progress.group?.members ?? 0) < 2;
    const isSingle = kind === 'callback-copies' && (attempts.length < 2 || attempts.length === tries);
    const previous = progress.reported.get(kind);
    if (isAlone || isSingle || previous === true || previous === delivered) continue;
    progress.reported.set(kind, delivered);
    report({ kind, wasReported: previous !== undefined, delivered });
  }
}

/** Returns whether the attempt delivered the callback, or undefined if there was no response. */
function wasDelivered({ status }: Attempt): boolean | undefined {
  return status === undefined ? undefined : isDelivered({ status });
}

function kindsOf({ delayMs, ...rest }: DeliveryFault): readonly string[] {
  const callback = { ...rest, ...(delayMs > 0 && { delay: `${delayMs}ms` }) };
  return callbackKinds.filter(({ does }: FailureKind) => does({ callback })).map(({ kind }) => kind);
}
