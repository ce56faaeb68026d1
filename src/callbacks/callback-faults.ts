/** Applies a scenario's faults to an attempt: an invalid body or signature. Does not decide when. */
import type { SendFaults } from './callback.ts';
import type { CallbackFormat, SignedMessage } from './format.ts';
import { toOtherSecret } from './signature.ts';

/** Age of a stale signature, in milliseconds. Receivers reject those older than five minutes. */
const staleMs = 3_600_000;

/** Returns the text to send for a body. `malformed` sends its first half. */
export function toSent(value: unknown, { body }: SendFaults): string {
  const text = JSON.stringify(value);
  if (body === undefined) return text;
  const half = text.slice(0, Math.floor(text.length / 2));
  // Half of a surrogate pair would be encoded as another character than the one that was signed.
  return /[\uD800-\uDBFF]$/.test(half) ? half.slice(0, -1) : half;
}

/**
 * Returns the headers of an attempt. A fault changes only its own part; everything else is valid. Without a signature,
 * or without a part that a fault needs, the fault changes nothing.
 */
export async function signFaulty(
  { toHeaders, signature }: Pick<CallbackFormat, 'toHeaders' | 'signature'>,
  message: SignedMessage,
  faults: SendFaults,
): Promise<Readonly<Record<string, string>>> {
  const changed = toChanged(message, faults);
  const signed = await signature.sign(changed);
  const headers = { ...toHeaders(changed), ...signed };
  if (faults.signature !== 'missing' || signature.header === undefined) return headers;
  const { [signature.header]: _, ...others } = headers;
  return others;
}

function toChanged(message: SignedMessage, { signature }: SendFaults): SignedMessage {
  if (signature === 'invalid') return { ...message, secret: toOtherSecret(message.secret) };
  return signature === 'stale' ? { ...message, atMs: message.atMs - staleMs } : message;
}
