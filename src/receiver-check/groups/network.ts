/** Whether it bears a bad network: bodies that come slowly, connections that end too soon. */
import type { Check, Group, Manner, Play } from '../check.ts';
import { judgeTaken } from '../judge.ts';

/** Characters of four bytes each, to be cut within. */
const wide = '🚚';

/** Cuts within three characters: what is decoded piece by piece is wrong then. */
async function* slowly(play: Play, bytes: Buffer): AsyncIterable<Uint8Array> {
  const first = bytes.indexOf(wide);
  const places = [0, first + 1, first + 6, first + 11, bytes.length];
  for (const [index, place] of places.slice(1).entries()) {
    if (index > 0) await play.pause();
    yield bytes.subarray(places[index], place);
  }
}

const slowUpload: Check = {
  name: 'takes a body that comes in pieces',
  why: 'Over a slow line a body arrives in several packets, cut anywhere, also within a character.',
  mend: 'Put the pieces together as bytes and decode the whole; wait for a body for more than two seconds.',
  play: async (play) => {
    const letter = play.letter({ failed: [{ id: 'VERIFY-SLOW', reason: `No way for ${wide.repeat(8)}` }] });
    const answer = await play.post(letter, { pieces: (bytes) => slowly(play, bytes) });
    return judgeTaken([{ answer }]);
  },
};

/** The turn after the body was written: nobody waits for the answer. */
async function* wholeThenCut(bytes: Buffer, cut: () => void): AsyncIterable<Uint8Array> {
  yield bytes;
  await new Promise<void>((next) => setImmediate(next));
  cut();
}

async function* halfThenCut(play: Play, bytes: Buffer, cut: () => void): AsyncIterable<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2);
  await play.pause();
  cut();
}

/** The first attempt ends badly, the second is as ever. */
async function retried(play: Play, pieces: NonNullable<Manner['pieces']>) {
  const letter = play.letter();
  await play.post(letter, { pieces });
  return judgeTaken([{ what: 'the second attempt', answer: await play.post(letter) }]);
}

const noPatience: Check = {
  name: 'takes one again whose sender did not wait for the answer',
  why: 'The sender waits for 10 s and tries again later, perhaps while you still work on the first attempt.',
  mend: 'Answer 2xx while you work on that id, too; undo what was begun where work ends because nobody waits any more.',
  play: (play) => retried(play, wholeThenCut),
};

const cutOff: Check = {
  name: 'takes one again whose body had broken off',
  why: 'A connection may end within a body. The same webhook-id comes again, and has to be new to you.',
  mend: 'Remember an id only when its body is whole, verified and kept; catch errors of reading the body.',
  play: (play) => retried(play, (bytes, cut) => halfThenCut(play, bytes, cut)),
};

export const bearsTheNetwork: Group = { name: 'bears a bad network', checks: [slowUpload, noPatience, cutOff] };
