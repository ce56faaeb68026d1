/** Finds what had become of callbacks at an earlier time, from the attempts that were made since. */
import type { Attempt, Callback } from '../../callbacks/callback.ts';
import { isDelivered } from '../../callbacks/retry.ts';

/**
 * Returns a callback as it was at a time of the project's clock. `replayed` is the same callback in a replay, which
 * knows what was due by then, but sends nothing. `wasCancelled`: a restored snapshot had cancelled it by then.
 */
export function toCallbackAt(replayed: Callback, now: Callback, at: string, wasCancelled: boolean): Callback {
  const attempts = now.attempts.filter((attempt) => attempt.at <= at);
  const tries = attempts.filter(({ cause }) => cause === 'schedule').length;
  const isDue = replayed.state !== 'scheduled' && replayed.state !== 'dropped';
  if (!isDue) return { ...replayed, attempts };
  const copies = attempts.filter(({ cause }) => cause === 'copy').length;
  const copiesLeft = wasCancelled ? 0 : Math.max(0, (now.fault?.copies ?? 1) - 1 - copies);
  const next = now.attempts.find((attempt) => attempt.cause === 'schedule' && attempt.at > at);
  const isOpen = !wasCancelled && (next !== undefined || now.state === 'scheduled' || now.state === 'dropped');
  const { state, dueAt } = isOpen
    ? { state: 'scheduled' as const, dueAt: next?.at ?? now.dueAt }
    : { state: toEnd(now, attempts), dueAt: now.dueAt };
  return { ...now, state, dueAt, attempts, tries, copiesLeft };
}

/** Returns how a callback had ended: a later redelivery may have changed it. */
function toEnd({ state, attempts: all }: Callback, attempts: readonly Attempt[]): Callback['state'] {
  if (attempts.length === all.length || state !== 'delivered') return state;
  if (attempts.some(({ status }) => status !== undefined && isDelivered({ status }))) return 'delivered';
  const last = attempts.findLast(({ cause }) => cause === 'schedule');
  return last && last.status === undefined && last.error === undefined ? 'inbox' : 'failed';
}
