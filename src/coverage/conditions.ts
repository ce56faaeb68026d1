/** Tells under which conditions a receiver got its callbacks: as they were meant, after errors, or disturbed. */
import type { Attempt, Callback, Disturbance } from '../callbacks/callback.ts';
import { isDelivered } from '../callbacks/retry.ts';
import { callbackKinds, type FailureKind } from '../scenarios/failure-kinds.ts';

/** A condition, its ways in words. */
export interface Condition {
  readonly kind: string;
  readonly about: string;
  readonly provoke: string;
}

/** What becomes of a callback that no scenario disturbs. */
export const plainConditions: readonly Condition[] = [
  {
    kind: 'delivered',
    about: 'the receiver takes the callback at once',
    provoke: 'set a callback endpoint that answers 2xx, and let an entry fail',
  },
  {
    kind: 'retried',
    about: 'the receiver takes the callback after an attempt that failed',
    provoke: 'let the receiver answer 503 once, then 2xx',
  },
  {
    kind: 'failed',
    about: 'the receiver takes the callback at no attempt, and it is given up',
    provoke: 'let the receiver answer 410 once, or 503 each time',
  },
];

/** A condition that a callback met, and whether the receiver took it so. */
export interface Seen {
  readonly kind: string;
  /** Whether it was told of this callback before, which was not taken then. */
  readonly isKnown: boolean;
  readonly taken: boolean;
}

/** What is known of a callback from before. */
interface Known {
  attempts: number;
  tries: number;
  copiesLeft: number;
  hasFailed: boolean;
  isTaken: boolean;
  isGivenUp: boolean;
  /** Disturbances that the receiver was sent, and whether it took them. */
  readonly answered: Map<string, boolean>;
  /** Those that are sent in another order, this one included. */
  readonly group: { members: number } | undefined;
}

interface Group {
  readonly dueAt: string;
  readonly members: { members: number };
}

export interface Conditions {
  /** Tells what is new about a callback, each thing once. Whether the callback itself is new. */
  look(project: string, callback: Callback, note: (seen: Seen) => void): boolean;
  forget(project: string): void;
}

export function createConditions(): Conditions {
  const known = new WeakMap<Callback, Known>();
  /** The latest group of a project: callbacks of one order that are released at one instant. */
  const groups = new Map<string, Group>();

  function groupOf(project: string, { dueAt, disturbance }: Callback): Known['group'] {
    if (!disturbance?.order) return undefined;
    const latest = groups.get(project);
    const group = latest?.dueAt === dueAt ? latest : { dueAt, members: { members: 0 } };
    groups.set(project, group);
    group.members.members += 1;
    return group.members;
  }

  function meet(project: string, callback: Callback): Known {
    const { copiesLeft } = callback;
    const group = groupOf(project, callback);
    const fresh = { attempts: 0, tries: 0, copiesLeft, hasFailed: false, isTaken: false, isGivenUp: false };
    const made: Known = { ...fresh, answered: new Map(), group };
    known.set(callback, made);
    return made;
  }

  return {
    look: (project, callback, note) => {
      const before = known.get(callback);
      const seen = before ?? meet(project, callback);
      const { disturbance } = callback;
      const isNew = before === undefined;
      if (isNew && disturbance?.drop)
        for (const kind of kindsOf(disturbance)) note({ kind, isKnown: false, taken: false });
      // Sent by hand it is as it was meant.
      const bySchedule = callback.tries > seen.tries || callback.copiesLeft < seen.copiesLeft;
      const fresh = callback.attempts.slice(seen.attempts);
      if (!disturbance) notePlain(callback, fresh, seen, note);
      else if (bySchedule) for (const attempt of fresh) noteDisturbed(callback, disturbance, attempt, seen, note);
      seen.attempts = callback.attempts.length;
      seen.tries = callback.tries;
      seen.copiesLeft = callback.copiesLeft;
      return isNew;
    },
    forget: (project) => groups.delete(project),
  };
}

function notePlain({ state }: Callback, attempts: readonly Attempt[], seen: Known, note: (seen: Seen) => void): void {
  for (const attempt of attempts) {
    const taken = isTaken(attempt);
    if (taken === undefined && attempt.error === undefined) continue;
    if (taken && !seen.isTaken) note({ kind: seen.hasFailed ? 'retried' : 'delivered', isKnown: false, taken });
    seen.isTaken ||= taken === true;
    seen.hasFailed ||= !taken;
  }
  if (state !== 'failed' || seen.isGivenUp) return;
  seen.isGivenUp = true;
  note({ kind: 'failed', isKnown: false, taken: false });
}

/** Only what a receiver has answered was met: each kind once a callback, and once more where it is taken at last. */
function noteDisturbed(
  { attempts, tries }: Callback,
  disturbance: Disturbance,
  attempt: Attempt,
  seen: Known,
  note: (seen: Seen) => void,
): void {
  const taken = isTaken(attempt);
  if (taken === undefined) return;
  for (const kind of kindsOf(disturbance)) {
    const isAlone = kind.startsWith('callback-order-') && (seen.group?.members ?? 0) < 2;
    const isSingle = kind === 'callback-copies' && (attempts.length < 2 || attempts.length === tries);
    const before = seen.answered.get(kind);
    if (isAlone || isSingle || before === true || before === taken) continue;
    seen.answered.set(kind, taken);
    note({ kind, isKnown: before !== undefined, taken });
  }
}

/** Whether the receiver took it; undefined where none has answered. */
function isTaken({ status }: Attempt): boolean | undefined {
  return status === undefined ? undefined : isDelivered({ status });
}

function kindsOf({ delayMs, ...rest }: Disturbance): readonly string[] {
  const callback = { ...rest, ...(delayMs > 0 && { delay: `${delayMs}ms` }) };
  return callbackKinds.filter(({ does }: FailureKind) => does({ callback })).map(({ kind }) => kind);
}
