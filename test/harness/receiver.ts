/** Receives callbacks on a free port, stores them, and responds as the test asks. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Answer, type HttpReceiver, type Received, startReceiver } from '../rig/receiver.ts';

export type { Answer, Received } from '../rig/receiver.ts';

export interface Receiver {
  /** Returns the URL for callbacks, without a trailing slash. */
  readonly url: () => string;
  /** All callbacks since the start of the test. */
  readonly received: readonly Received[];
  /** Takes all callbacks out of `received`. */
  take(): readonly Received[];
  /** Sets the responses to the next callbacks, in this order. Later callbacks get a 204. */
  answer(...answers: readonly Answer[]): void;
  /** Sets a function that returns the response to every callback. */
  handle(handler: (received: Received) => Answer | Promise<Answer>): void;
  /** Resolves when the receiver has `count` callbacks since the start of the test. */
  waitFor(count: number): Promise<void>;
}

/** Starts a receiver for all tests of a file. Each test starts without callbacks, and with 204 as the response. */
export function useReceiver(): Receiver {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let handler: (received: Received) => Answer | Promise<Answer> = () => 204;
  let receiver: HttpReceiver | undefined;

  beforeAll(async () => {
    receiver = await startReceiver((one) => {
      received.push(one);
      for (const check of waiting) check();
      return handler(one);
    });
  });
  beforeEach(() => {
    received.length = 0;
    handler = () => 204;
    receiver?.dropHanging();
  });
  afterAll(() => receiver?.close());

  return {
    url: () => receiver?.url ?? '',
    received,
    take: () => received.splice(0),
    answer: (...answers) => {
      const remaining = [...answers];
      handler = () => remaining.shift() ?? 204;
    },
    handle: (newHandler) => {
      handler = newHandler;
    },
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
