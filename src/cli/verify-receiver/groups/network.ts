/** Checks that a receiver handles a bad network: slow bodies and broken connections. */
import type { Check, CheckContext, CheckGroup, SendOptions } from '../check.ts';
import { judgeAccepted } from '../judge.ts';

/** A character of four bytes in UTF-8. */
const wideCharacter = '🚚';

/** Sends the body in pieces, cut within three characters, so that decoding each piece alone fails. */
async function* sendSlowly(context: CheckContext, bytes: Buffer): AsyncIterable<Uint8Array> {
  const first = bytes.indexOf(wideCharacter);
  const cuts = [0, first + 1, first + 6, first + 11, bytes.length];
  for (const [index, end] of cuts.slice(1).entries()) {
    if (index > 0) await context.pause();
    yield bytes.subarray(cuts[index], end);
  }
}

const slowUpload: Check = {
  name: 'takes a body that comes in pieces',
  why: 'Over a slow line a body arrives in several packets, cut anywhere, also within a character.',
  fix: 'Put the pieces together as bytes and decode the whole; wait for a body for more than two seconds.',
  run: async (context) => {
    const callback = context.createCallback({
      failed: [{ id: 'VERIFY-SLOW', reason: `No way for ${wideCharacter.repeat(8)}` }],
    });
    const result = await context.post(callback, { pieces: (bytes) => sendSlowly(context, bytes) });
    return judgeAccepted([{ result }]);
  },
};

/** Sends the whole body, and closes the connection without waiting for the response. */
async function* sendAndClose(bytes: Buffer, close: () => void): AsyncIterable<Uint8Array> {
  yield bytes;
  await new Promise<void>((next) => setImmediate(next));
  close();
}

async function* sendHalfAndClose(context: CheckContext, bytes: Buffer, close: () => void): AsyncIterable<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2);
  await context.pause();
  close();
}

/** Breaks off the first attempt, and judges a second normal one. */
async function judgeRetry(context: CheckContext, pieces: NonNullable<SendOptions['pieces']>) {
  const callback = context.createCallback();
  await context.post(callback, { pieces });
  return judgeAccepted([{ label: 'the second attempt', result: await context.post(callback) }]);
}

const impatientSender: Check = {
  name: 'takes one again whose sender did not wait for the answer',
  why: 'The sender waits for 10 s and tries again later, perhaps while you still work on the first attempt.',
  fix: 'Answer 2xx while you work on that id, too; undo what was begun where work ends because nobody waits any more.',
  run: (context) => judgeRetry(context, sendAndClose),
};

const brokenBody: Check = {
  name: 'takes one again whose body had broken off',
  why: 'A connection may end within a body. The same webhook-id comes again, and has to be new to you.',
  fix: 'Remember an id only when its body is whole, verified and kept; catch errors of reading the body.',
  run: (context) => judgeRetry(context, (bytes, close) => sendHalfAndClose(context, bytes, close)),
};

export const handlesBadNetwork: CheckGroup = {
  name: 'bears a bad network',
  checks: [slowUpload, impatientSender, brokenBody],
};
