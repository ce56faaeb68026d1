/** Signs callbacks according to Standard Webhooks (standardwebhooks.com). */

const prefix = 'whsec_';
const minBytes = 24;
const maxBytes = 64;

/**
 * The default secret of projects. It is published so that anyone can verify callbacks without asking; it protects
 * nothing. It is the text `field-sandbox public test secret`.
 */
export const defaultSecret = 'whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ=';

export type SecretResult =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly message: string };

/** The signed message: the id of the callback, the wall clock of the attempt, and the body exactly as it is sent. */
export interface Message {
  /** As returned by `parseSecret`. */
  readonly secret: string;
  readonly id: string;
  readonly atMs: number;
  readonly body: string;
}

export interface SignatureHeaders {
  readonly 'webhook-id': string;
  /** In seconds. Receivers reject timestamps more than 300 s from their own clock. */
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Validates a secret: `whsec_` and padded base64 of 24 to 64 bytes. The message never contains it. */
export function parseSecret(secret: string): SecretResult {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  if (text === undefined) return { ok: false, message: `a secret must begin with ${prefix}` };
  const bytes = Buffer.from(text, 'base64');
  // Node ignores invalid base64 characters. Only a text that encodes back to itself was read completely, and every
  // receiver decodes it the same way.
  if (bytes.toString('base64') !== text) {
    return { ok: false, message: `the text after ${prefix} must be standard base64 with padding` };
  }
  if (bytes.length < minBytes || bytes.length > maxBytes) {
    const message = `a secret must have ${minBytes} to ${maxBytes} bytes in base64, got ${bytes.length}`;
    return { ok: false, message };
  }
  return { ok: true, secret };
}

/** Returns the headers of one attempt. Retries have the same id, but their own timestamp and signature. */
export async function signMessage({ secret, id, atMs, body }: Message): Promise<SignatureHeaders> {
  const { Webhook } = await import('standardwebhooks');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(atMs), body),
  };
}
