/** What a scenario spoils of a callback's attempts: the bytes of the body, the signature. Knows nothing of when. */
import { type Message, type SignatureHeaders, signMessage } from './signature.ts';

/** What is wrong with every attempt that is made by schedule, its copies included. Plain data. */
export interface Spoiled {
  readonly signature?: 'invalid' | 'missing' | 'stale';
  readonly body?: 'malformed';
}

/** Receivers refuse what is more than five minutes old: an hour leaves no doubt. */
const staleMs = 3_600_000;

/** The bytes that are sent for a message: `malformed` is the first half of its text. */
export function toSent(message: object, { body }: Spoiled): string {
  const text = JSON.stringify(message);
  if (body === undefined) return text;
  const half = text.slice(0, Math.floor(text.length / 2));
  // Half of a character would be another one on the wire than in what was signed.
  return /[\uD800-\uDBFF]$/.test(half) ? half.slice(0, -1) : half;
}

/** The headers that a receiver verifies, each fault being the only one: all else about them is right. */
export async function signSpoiled(message: Message, { signature }: Spoiled): Promise<Partial<SignatureHeaders>> {
  switch (signature) {
    case undefined:
      return signMessage(message);
    case 'invalid':
      return signMessage({ ...message, secret: toOtherSecret(message.secret) });
    case 'stale':
      return signMessage({ ...message, atMs: message.atMs - staleMs });
    case 'missing': {
      const { 'webhook-signature': _, ...others } = await signMessage(message);
      return others;
    }
    default:
      return signature satisfies never;
  }
}

/** A secret as long as this one, and never the same: each bit of it turned. */
function toOtherSecret(secret: string): string {
  const [prefix = '', text = ''] = secret.split(/(?<=^whsec_)/);
  return prefix + Buffer.from(Buffer.from(text, 'base64').map((byte) => ~byte)).toString('base64');
}
