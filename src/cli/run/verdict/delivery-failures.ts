/** Explains why callbacks of a run failed, and whether their receiver had probably ended with the command. */
import type { Callback } from '../../../callbacks/callback.ts';
import { maskUrl } from '../../../lib/mask-url.ts';
import type { Project } from '../../../project/project.ts';

export interface DeliveryFailure {
  /** Result of the last attempt, with the receiver's URL. */
  readonly why: string;
  /** Whether the attempt was made after the command had ended, and got no response. */
  readonly isLate: boolean;
}

export interface DeliveryFailures {
  /** Counts attempts from now on as late. */
  commandEnded(projects: readonly Project[]): void;
  /** Returns why a callback failed, or undefined if it did not. */
  find(project: Project, callback: Callback): DeliveryFailure | undefined;
}

export function createDeliveryFailures(): DeliveryFailures {
  const attemptsAtEnd = new WeakMap<Callback, number>();
  let hasEnded = false;
  return {
    commandEnded: (projects) => {
      hasEnded = true;
      for (const { state } of projects)
        for (const callback of state.callbacks.values()) attemptsAtEnd.set(callback, callback.attempts.length);
    },
    find: ({ state }, callback) => {
      if (callback.state !== 'failed') return undefined;
      const index = callback.attempts.findLastIndex(({ cause }) => cause === 'schedule');
      const { status, error } = callback.attempts[index] ?? {};
      const url = state.endpoint ? maskUrl(state.endpoint.url) : 'the receiver';
      if (error === undefined) return { why: `${url} responded with ${status}`, isLate: false };
      const isLate = hasEnded && index >= (attemptsAtEnd.get(callback) ?? 0);
      const reason = error.startsWith('connection ') ? `${error} by ${url}` : `${url}: ${error}`;
      return { why: isLate ? `${reason}; the command had ended` : reason, isLate };
    },
  };
}
