/** Writes callbacks as the profile wants: their body, their headers and their signature; and with the faults of a scenario. */
import { toHeaderValue } from '../lib/header.ts';
import { createText, fillTemplate, parseTemplate, type TemplateItems, type TemplateValues } from '../lib/template.ts';
import type { CallbackSettings } from '../openapi/profile/profile.ts';
import type { CallbackMessage, SendFaults } from './callback.ts';
import { createSignature, type Message, type Signature, toOtherSecret, toSeconds } from './signature.ts';

/** A message to sign, with the callback that its headers describe. */
export interface SignedMessage extends Message {
  readonly content: CallbackMessage;
}

/** The form of all callbacks. */
export interface CallbackFormat extends Pick<CallbackSettings, 'perEntry' | 'successes'> {
  readonly method: string;
  readonly signature: Signature;
  /** Whether the body is not the default one. */
  readonly hasOwnBody: boolean;
  /** Returns the body of a callback as a JSON value. */
  toBody(id: string, content: CallbackMessage): unknown;
  /** Returns the headers of an attempt without those of the signature. `atMs` is the wall clock. */
  toHeaders(message: Omit<SignedMessage, 'secret' | 'body'>): Readonly<Record<string, string>>;
}

/** Creates the format from the profile: `body` is a template, or undefined for the default body. */
export function createCallbackFormat(settings: CallbackSettings, body?: unknown): CallbackFormat {
  const { method, contentType, headers, signature, perEntry, successes } = settings;
  const template = body === undefined ? undefined : parseTemplate(body);
  const own = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), createText(text)] as const);
  return {
    method,
    perEntry,
    successes,
    signature: createSignature(signature),
    hasOwnBody: template !== undefined,
    toBody: (id, content) =>
      template ? (fillTemplate(template, toValues(id, content), toItems(content)) ?? null) : toDefault(content),
    toHeaders: ({ id, atMs, content }) => {
      const filled: Record<string, string> = { 'content-type': contentType };
      if (own.length === 0) return filled;
      const values = { ...toValues(id, content), timestamp: toSeconds(atMs) };
      const items = toItems(content);
      for (const [name, fill] of own) {
        const value = fill(values, items);
        if (value !== undefined) filled[name] = toHeaderValue(value);
      }
      return filled;
    },
  };
}

/** Returns the default body. A callback about entries that were carried out has no failures. */
function toDefault({ type, timestamp, data, extra }: CallbackMessage) {
  const { failed, ...others } = data;
  const shown = data.succeeded === undefined ? { ...others, failed } : others;
  return { type, timestamp, data: { ...shown, ...extra } };
}

function toValues(id: string, content: CallbackMessage): TemplateValues {
  const { type, timestamp, data } = content;
  const { projectId, subProjectId, requestId, operation, failed, succeeded } = data;
  const lists = succeeded ? { succeeded } : { failed };
  return {
    id,
    type,
    timestamp,
    data: toDefault(content).data,
    projectId,
    subProjectId,
    requestId,
    operation,
    ...lists,
  };
}

function toItems({ data: { failed, succeeded } }: CallbackMessage): TemplateItems {
  return { entry: (succeeded ?? failed) as readonly TemplateValues[] };
}

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
