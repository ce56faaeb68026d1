/** Signs callbacks: according to Standard Webhooks (standardwebhooks.com), or as a profile wants. */
import { createHmac } from 'node:crypto';
import { toHeaderValue } from '../lib/header.ts';
import { createText, placeholdersOf } from '../lib/template.ts';
import type { HeaderSignature, SignatureSetting } from '../openapi/profile/profile.ts';

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

/**
 * Validates a secret. Standard Webhooks needs `whsec_` and padded base64 of 24 to 64 bytes; other signatures also accept
 * any text on one line. The message never contains the secret.
 */
export function parseSecret(secret: string, kind: 'standard' | 'text' = 'standard'): SecretResult {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  if (text === undefined) {
    if (kind === 'standard')
      return {
        ok: false,
        message: `a secret must begin with ${prefix}; with another callbacks.signature in the profile, it can be any text`,
      };
    if (textSecret.test(secret)) return { ok: true, secret };
    return { ok: false, message: `a secret must have 1 to ${maxTextLength} characters of ASCII on one line` };
  }
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

const maxTextLength = 1000;
const textSecret = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/;

/** A way to sign, and what a fault can change about it. */
export interface Signature {
  readonly kind: 'standard' | 'hmac' | 'fixed' | 'none';
  /** Secrets that it accepts, as for `parseSecret`. */
  readonly secrets: 'standard' | 'text';
  /** The header with the signature; undefined without one. */
  readonly header: string | undefined;
  /** The parts of a message that the signature covers. */
  readonly covers: Readonly<Record<'id' | 'timestamp' | 'body', boolean>>;
  /** Whether the header with the signature also has the timestamp. */
  readonly hasTimestamp: boolean;
  /** Returns the headers of one attempt. Retries have the same id, but their own timestamp and signature. */
  sign(message: Message): Promise<Readonly<Record<string, string>>>;
}

const standardSignature: Signature = {
  kind: 'standard',
  secrets: 'standard',
  header: 'webhook-signature',
  covers: { id: true, timestamp: true, body: true },
  hasTimestamp: false,
  sign: signMessage,
};

const noSignature: Signature = {
  kind: 'none',
  secrets: 'text',
  header: undefined,
  covers: { id: false, timestamp: false, body: false },
  hasTimestamp: false,
  sign: async () => ({}),
};

/** Creates the signature of a profile. */
export function createSignature(setting: SignatureSetting): Signature {
  if (setting === 'standard-webhooks') return standardSignature;
  return setting === 'none' ? noSignature : createHeaderSignature(setting);
}

function createHeaderSignature({ hmac, header, value = '{hex}', over = '{body}' }: HeaderSignature): Signature {
  const name = header.toLowerCase();
  const toText = createText(over);
  const toValue = createText(value);
  const covered = hmac ? placeholdersOf(over) : [];
  return {
    kind: hmac ? 'hmac' : 'fixed',
    secrets: 'text',
    header: name,
    covers: {
      id: covered.includes('id'),
      timestamp: covered.includes('timestamp'),
      body: covered.includes('body'),
    },
    hasTimestamp: placeholdersOf(value).includes('timestamp'),
    sign: async ({ secret, id, atMs, body }) => {
      const timestamp = toSeconds(atMs);
      const values = { id, timestamp, body, secret };
      if (!hmac) return { [name]: toHeaderValue(toValue(values) ?? '') };
      const digest = createHmac(hmac, toKey(secret)).update(toText(values) ?? '');
      const bytes = digest.digest();
      const signed = { ...values, hex: bytes.toString('hex'), base64: bytes.toString('base64') };
      return { [name]: toHeaderValue(toValue(signed) ?? '') };
    },
  };
}

/** Returns the key of an HMAC: what follows `whsec_`, decoded, or else the text of the secret. */
function toKey(secret: string): Buffer {
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret);
}

/** Returns a different secret of the same length, by inverting each bit or shifting each character. */
export function toOtherSecret(secret: string): string {
  if (secret.startsWith(prefix)) return prefix + Buffer.from(toKey(secret).map((byte) => ~byte)).toString('base64');
  return secret.replace(/./g, (character) => String.fromCharCode(33 + ((character.charCodeAt(0) - 33 + 47) % 94)));
}

/** Minimum length of a secret to hide in any header. Shorter ones would match parts of ordinary words. */
const minHiddenLength = 8;

/** Replaces a secret, and the other one that a fault signs with, in the headers that attempts store and show. */
export function hideSecret(
  headers: Readonly<Record<string, string>>,
  secret: string,
  { header }: Pick<Signature, 'header'>,
): Readonly<Record<string, string>> {
  const forms = toForms(secret);
  const hide = (name: string, value: string): string =>
    name === header || secret.length >= minHiddenLength ? replaceAll(value, forms) : value;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hide(name, value)]));
}

/** Replaces a secret in a text that may repeat what was sent, unless it is too short to be found for sure. */
export function hideSecretIn(text: string, secret: string): string {
  return secret.length >= minHiddenLength ? replaceAll(text, toForms(secret)) : text;
}

/** Returns the forms in which a receiver may repeat a secret: whole, without its prefix or decoded, each also escaped. */
function toForms(secret: string): ReadonlySet<string> {
  const texts = [secret, toOtherSecret(secret)].flatMap((one) => [one, one.replace(prefix, ''), toKey(one).toString()]);
  const forms = texts.flatMap((one) => {
    const escaped = JSON.stringify(one).slice(1, -1);
    return [one, escaped, escaped.replaceAll('/', '\\/'), encodeURIComponent(one)];
  });
  return new Set(forms);
}

function replaceAll(text: string, forms: ReadonlySet<string>): string {
  let shown = text;
  for (const form of forms) shown = shown.replaceAll(form, '***');
  return shown;
}

/** Returns the headers of one attempt, according to Standard Webhooks: receivers reject times more than 300 s from their own. */
export async function signMessage({
  secret,
  id,
  atMs,
  body,
}: Message): Promise<Readonly<Record<`webhook-${'id' | 'timestamp' | 'signature'}`, string>>> {
  const { Webhook } = await import('standardwebhooks');
  return {
    'webhook-id': id,
    'webhook-timestamp': toSeconds(atMs),
    'webhook-signature': new Webhook(secret).sign(id, new Date(atMs), body),
  };
}

/** Returns a time as headers have it: in seconds since 1970. */
export function toSeconds(atMs: number): string {
  return String(Math.floor(atMs / 1000));
}
