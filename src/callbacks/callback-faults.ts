/** Applies a scenario's faults to an attempt: an invalid body or signature. Does not decide when. */
import { type Message, type SignatureHeaders, signMessage } from './signature.ts';

/** Faults of every scheduled attempt and copy. Plain data. */
export interface SendFaults {
  readonly signature?: 'invalid' | 'missing' | 'stale';
  readonly body?: 'malformed';
}

/** Age of a stale signature, in milliseconds. Receivers reject those older than five minutes. */
const staleMs = 3_600_000;

/** Returns the body to send for a message. `malformed` sends the first half of its text. */
export function toSent(message: object, { body }: SendFaults): string {
  const text = JSON.stringify(message);
  if (body === undefined) return text;
  const half = text.slice(0, Math.floor(text.length / 2));
  // Half of a surrogate pair would be encoded as another character than the one that was signed.
  return /[\uD800-\uDBFF]$/.test(half) ? half.slice(0, -1) : half;
}

/** Returns the headers that a receiver verifies. A fault changes only its own part; everything else is valid. */
export async function signFaulty(message: Message, { signature }: SendFaults): Promise<Partial<SignatureHeaders>> {
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

/** Returns a different secret of the same length, by inverting each bit. */
function toOtherSecret(secret: string): string {
  const [prefix = '', text = ''] = secret.split(/(?<=^whsec_)/);
  return prefix + Buffer.from(Buffer.from(text, 'base64').map((byte) => ~byte)).toString('base64');
}
