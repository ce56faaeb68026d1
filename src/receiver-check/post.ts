/** Makes one attempt at a letter: signs it and sends it, rightly or in the manner of a check. */
import type { WallClock } from '../base/time.ts';
import type { Sender } from '../callbacks/send.ts';
import { signMessage } from '../callbacks/signature.ts';
import type { Answer, Letter, Manner } from './check.ts';

interface Parts {
  readonly url: string;
  readonly secret: string;
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
}

/** Gives what makes attempts; each is signed anew, as the sandbox signs each. Never throws. */
export function createPost({ url, secret, sender, wall }: Parts): (letter: Letter, manner?: Manner) => Promise<Answer> {
  return async ({ id, text }, { sign = signMessage, pieces } = {}) => {
    const signed = await sign({ secret, id, atMs: wall.now(), body: text });
    const cutting = new AbortController();
    const startedMs = wall.elapsed();
    const outcome = await sender.send({
      url,
      headers: { ...signed },
      body: text,
      ...(pieces && { pieces: pieces(Buffer.from(text), () => cutting.abort()) }),
      signal: cutting.signal,
    });
    return { outcome, ms: wall.elapsed() - startedMs };
  };
}
