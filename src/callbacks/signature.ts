/** Signs callbacks by Standard Webhooks (standardwebhooks.com); knows neither where they go nor what is in them. */

const prefix = 'whsec_';
const fewestBytes = 24;
const mostBytes = 64;

/**
 * The secret of projects that were given none, published so that anyone can verify without asking: it protects
 * nothing. It is the text `field-sandbox public test secret`.
 */
export const defaultSecret = 'whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ=';

export type SecretResult =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly message: string };

/** What is signed: the callback's id, the wall clock of the attempt, and the body exactly as it will be sent. */
export interface Message {
  /** As `parseSecret` gave it. */
  readonly secret: string;
  readonly id: string;
  readonly atMs: number;
  readonly body: string;
}

/** The headers that a receiver verifies. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  /** In seconds. A receiver refuses what is more than 300 s from its own clock. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Checks a secret: `whsec_` and standard, padded base64 of 24 to 64 bytes. The message never repeats it. */
export function parseSecret(secret: string): SecretResult {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  if (text === undefined) return { ok: false, message: `a secret begins with ${prefix}` };
  const bytes = Buffer.from(text, 'base64');
  // Node skips what is no base64; only what encodes back to itself was read in full, and every receiver reads it alike.
  if (bytes.toString('base64') !== text) {
    return { ok: false, message: `what follows ${prefix} must be standard base64, with its padding` };
  }
  if (bytes.length < fewestBytes || bytes.length > mostBytes) {
    const message = `a secret is ${fewestBytes} to ${mostBytes} bytes in base64, this is ${bytes.length}`;
    return { ok: false, message };
  }
  return { ok: true, secret };
}

/** The headers of one attempt: the same id over retries, the timestamp and so the signature of each its own. */
export async function signMessage({ secret, id, atMs, body }: Message): Promise<SignatureHeaders> {
  const { Webhook } = await import('standardwebhooks');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(atMs), body),
  };
}
