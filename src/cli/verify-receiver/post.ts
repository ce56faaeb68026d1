/** Signs and sends a test callback, as the sandbox does or as a check wants. */

import type { Sender } from '../../callbacks/send.ts';
import { signMessage } from '../../callbacks/signature.ts';
import type { WallClock } from '../../lib/time.ts';
import type { AttemptResult, SendOptions, TestCallback } from './check.ts';

interface Parts {
  readonly url: string;
  readonly secret: string;
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
}

/** Creates a function that sends a callback once. It signs each attempt, as the sandbox does. It never throws. */
export function createPost({
  url,
  secret,
  sender,
  wall,
}: Parts): (callback: TestCallback, options?: SendOptions) => Promise<AttemptResult> {
  return async ({ id, text }, { sign = signMessage, pieces } = {}) => {
    const signed = await sign({ secret, id, atMs: wall.now(), body: text });
    const abortController = new AbortController();
    const startedMs = wall.elapsed();
    const outcome = await sender.send({
      url,
      headers: { ...signed },
      body: text,
      ...(pieces && { pieces: pieces(Buffer.from(text), () => abortController.abort()) }),
      signal: abortController.signal,
    });
    return { outcome, ms: wall.elapsed() - startedMs };
  };
}
