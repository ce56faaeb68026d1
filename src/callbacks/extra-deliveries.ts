/** Delivers callbacks apart from their schedule: the copies that a scenario asks for, and redeliveries on request. */
import type { Attempts, MadeAttempt } from './attempts.ts';
import type { Attempt, Callback, Endpoint } from './callback.ts';
import { isDelivered, isEndpointGone } from './retry.ts';
import type { DeliveryResult } from './send.ts';

interface Deps {
  readonly attempts: Attempts;
  readonly endpoint: () => Endpoint | undefined;
  /** Returns the endpoint for due callbacks, or undefined if they go into the inbox. */
  enabledEndpoint(): Endpoint | undefined;
  /** Cancels the next scheduled attempt. Copies are still sent. */
  cancelScheduled(callbackId: string): void;
  /** Called after every change of a callback. */
  changed(callback: Callback): void;
}

export interface ExtraDeliveries {
  /** Sends a copy that is due. A copy uses no retry and is not retried. Returns whether it was delivered. */
  copy(callback: Callback | undefined): Promise<boolean>;
  /** Sends a callback at once, whatever its state and the clock. Undefined if no endpoint is set. */
  redeliver(callback: Callback): Promise<Attempt | undefined>;
}

export function createExtraDeliveries(deps: Deps): ExtraDeliveries {
  const { attempts, endpoint, enabledEndpoint, cancelScheduled, changed } = deps;

  async function copy(callback: Callback | undefined): Promise<boolean> {
    if (!callback || callback.copiesLeft === 0 || attempts.isCancelled()) return false;
    const target = enabledEndpoint();
    // A receiver that responded with 410 ended this callback, so the copy does not go into the inbox.
    if (!target && callback.state === 'failed') {
      callback.copiesLeft -= 1;
      return false;
    }
    const { attempt, result } = await attempts.make('copy', callback, target, callback.fault ?? {});
    if (attempts.isCancelled()) return false;
    // The copies may have been cancelled meanwhile.
    if (callback.copiesLeft > 0) callback.copiesLeft -= 1;
    record(callback, { attempt, result }, target);
    return !result || isDelivered(result);
  }

  async function redeliver(callback: Callback): Promise<Attempt | undefined> {
    const target = endpoint();
    if (!target) return undefined;
    const { attempt, result } = await attempts.make('redelivery', callback, target, {});
    if (attempts.isCancelled()) return attempt;
    record(callback, { attempt, result }, target);
    return attempt;
  }

  function record(callback: Callback, { attempt, result }: MadeAttempt, target: Endpoint | undefined): void {
    callback.attempts.push(attempt);
    if (result) settle(callback, result, target);
    else if (callback.state === 'scheduled') end(callback, 'inbox');
    changed(callback);
  }

  function settle(callback: Callback, result: DeliveryResult, target: Endpoint | undefined): void {
    if (isEndpointGone(result)) {
      if (target && endpoint() === target) target.disabled = true;
      if (callback.state === 'scheduled') end(callback, 'failed');
    }
    if (isDelivered(result)) end(callback, 'delivered');
  }

  /** Ends a callback, so that it is not retried. */
  function end(callback: Callback, state: 'delivered' | 'failed' | 'inbox'): void {
    if (callback.state === 'scheduled') cancelScheduled(callback.id);
    callback.state = state;
  }

  return { copy, redeliver };
}
