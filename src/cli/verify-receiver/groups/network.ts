/** Checks that a receiver handles a bad network: slow bodies and broken connections. */
import { type CheckGroup, judgeAccepted, sendAll } from '../check.ts';
import type { CheckContext, SendOptions } from '../context.ts';

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
  return judgeAccepted(await sendAll(context, { 'second attempt': { callback } }));
}

export const handlesBadNetwork: CheckGroup = {
  name: 'survives a bad network',
  checks: [
    {
      name: 'accepts a body in several pieces',
      why: 'On a slow connection a body arrives in several packets, which may split a character.',
      fix: 'Join the pieces as bytes before you decode them; wait for a body for more than two seconds.',
      accepts: (context) => ({
        '': {
          failed: [{ id: 'VERIFY-SLOW', reason: `No way for ${wideCharacter.repeat(8)}` }],
          pieces: (bytes) => sendSlowly(context, bytes),
        },
      }),
    },
    {
      name: 'accepts a callback again after its sender timed out',
      why: 'The sender waits for 10 s and tries again later, perhaps while you still process the first attempt.',
      fix: 'Respond with 2xx also while you process that id; if a closed connection cancels the processing, undo it.',
      run: (context) => judgeRetry(context, sendAndClose),
    },
    {
      name: 'accepts a callback again after an incomplete body',
      why: 'A connection may close within a body. The same webhook-id is sent again, and must not count as a duplicate.',
      fix: 'Save an id only after its body is complete, verified and saved; catch errors while you read the body.',
      run: (context) => judgeRetry(context, (bytes, close) => sendHalfAndClose(context, bytes, close)),
    },
  ],
};
