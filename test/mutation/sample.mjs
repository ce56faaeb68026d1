/** Which changes of the code are tried, where not all are: by a hash, so that the same command tries the same ones. */
import { createHash } from 'node:crypto';

/** Whether a change is in the sample. Its id is its number among all changes of the command. */
export function isSampled(id, seed, share) {
  const hash = createHash('sha256').update(`${seed}:${id}`).digest();
  return hash.readUInt32BE() / 2 ** 32 < share;
}
