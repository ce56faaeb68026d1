/** Finds the conditions under which a receiver got its callbacks: unchanged, after failed attempts, or disturbed. */
import type { Attempt, Callback, DeliveryFault } from '../callbacks/callback.ts';
import { isDelivered } from '../callbacks/retry.ts';
import { failureKindsOf } from '../scenarios/failure-kinds.ts';

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

/** What was already reported about a callback. */
interface Progress {
  attempts: number;
  /** The reported conditions, and whether the callback was delivered. */
  readonly reported: Map<string, boolean>;
  /** Number of callbacks that are sent in a changed order together, including this one. */
  readonly group: { members: number } | undefined;
}

/** What happened to a callback: its last attempt, something else, or that another server gave it to this one. */
export type CallbackChange = 'attempt' | 'other' | 'restore';

/** `wasReported`: whether the condition of this callback was reported before, as not delivered. */
type Report = (kind: string, wasReported: boolean, isDelivered: boolean) => void;

export class Conditions {
  readonly #progress = new WeakMap<Callback, Progress>();
  /** The latest group of each project: callbacks in a changed order that are due at the same instant. */
  readonly #groups = new Map<string, { readonly dueAt: string; members: number }>();

  /**
   * Reports the new conditions of a callback: each once, and once more when the callback is delivered after a failed
   * attempt. Returns whether the callback itself is new; one that was loaded has attempts that count no more.
   */
  observe(project: string, callback: Callback, change: CallbackChange, report: Report): boolean {
    const { fault, attempts, state } = callback;
    const known = this.#progress.get(callback);
    const isAttempt = change === 'attempt';
    const before = change === 'restore' ? 0 : attempts.length - Number(isAttempt);
    const progress = known ?? { attempts: before, reported: new Map(), group: this.#groupOf(project, callback) };
    this.#progress.set(callback, progress);
    const note = (kind: string, isDelivered: boolean): void => {
      const previous = progress.reported.get(kind);
      if (previous === true || previous === isDelivered) return;
      progress.reported.set(kind, isDelivered);
      report(kind, previous !== undefined, isDelivered);
    };
    const isNew = !known && !isAttempt && before === 0;
    if (isNew && fault?.drop) for (const kind of kindsOf(fault)) note(kind, false);
    for (; progress.attempts < attempts.length; progress.attempts += 1) {
      const made = attempts.slice(0, progress.attempts + 1);
      const kinds = fault ? disturbedKinds(fault, made, progress) : plainKinds(made);
      for (const kind of kinds) note(kind, wasDelivered(made.at(-1)) === true);
    }
    // One that was loaded or forked had failed before its redelivery.
    if (!fault && state === 'failed' && attempts.at(-1)?.cause !== 'redelivery') note('failed', false);
    return isNew;
  }

  forget(project: string): void {
    this.#groups.delete(project);
  }

  #groupOf(project: string, { dueAt, fault }: Callback): Progress['group'] {
    if (!fault?.order) return undefined;
    const latest = this.#groups.get(project);
    const group = latest?.dueAt === dueAt ? latest : { dueAt, members: 0 };
    this.#groups.set(project, group);
    group.members += 1;
    return group;
  }
}

/** Returns the condition of a callback whose last attempt is the first that was delivered. */
function plainKinds(made: readonly Attempt[]): readonly string[] {
  if (made.findIndex((one) => wasDelivered(one)) !== made.length - 1) return [];
  const hasFailed = made.some((one) => wasDelivered(one) === false || one.error !== undefined);
  return [hasFailed ? 'retried' : 'delivered'];
}

/** Returns the disturbances of the last attempt, if the receiver responded to it. */
function disturbedKinds(fault: DeliveryFault, made: readonly Attempt[], { group }: Progress): readonly string[] {
  const last = made.at(-1);
  // A redelivery by hand is not disturbed.
  if (wasDelivered(last) === undefined || last?.cause === 'redelivery') return [];
  const isSingle = made.every(({ cause }) => cause === 'schedule');
  return kindsOf(fault).filter((kind) => {
    if (kind.startsWith('callback-order-')) return (group?.members ?? 0) > 1;
    return kind !== 'callback-copies' || !isSingle;
  });
}

/** Returns whether the attempt delivered the callback, or undefined if there was no response. */
function wasDelivered(attempt: Attempt | undefined): boolean | undefined {
  return attempt?.status === undefined ? undefined : isDelivered({ status: attempt.status });
}

function kindsOf({ delayMs, ...rest }: DeliveryFault): readonly string[] {
  return failureKindsOf({ callback: { ...rest, ...(delayMs > 0 && { delay: `${delayMs}ms` }) } });
}
