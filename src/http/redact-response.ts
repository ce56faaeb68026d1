/** Redacts secrets in the responses of callback receivers, and cuts long bodies. */
import type { ReceivedResponse, ReceiverResponse } from '../callbacks/response.ts';
import { isSecretName } from '../lib/secret-name.ts';
import { looseName, namesSecret, omitted, redacted, redactHeaders, redactUrl, replaceSecrets } from './redact.ts';

/** Maximum size of a stored body, in bytes. */
const maxStoredBytes = 4096;

/** Creates the function that converts a response as it was received to what is stored of it. */
export function createResponseRedaction(
  isKey: (text: string) => boolean,
): (received: ReceivedResponse) => ReceiverResponse {
  return ({ headers, body, size, isWhole, durationMs }) => {
    const shown = redactBody(body);
    const bytes = Buffer.from(shown);
    const isCut = !isWhole || bytes.length > maxStoredBytes;
    return {
      headers: redactResponseHeaders(headers, isKey),
      body: bytes.length > maxStoredBytes ? toStart(bytes) : shown,
      ...(isCut && { bodyCut: size }),
      durationMs,
    };
  };
}

/** Returns the beginning of a text, without a part of a character at its end. */
function toStart(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, maxStoredBytes), { stream: true });
}

function redactResponseHeaders(
  headers: ReceivedResponse['headers'],
  isKey: (text: string) => boolean,
): Record<string, string> {
  const shown = redactHeaders(headers, isKey);
  for (const [name, value] of Object.entries(shown)) {
    // A redirect may name a user, or have a token in its path, query or fragment.
    shown[name] = /cookie/i.test(name)
      ? redacted
      : redactUrl(value, isKey, true).replace(/^(\w+:\/\/)[^/?#]*@/, `$1${redacted}@`);
  }
  return shown;
}

function redactBody(text: string): string {
  if (!namesSecret(text, false)) return text;
  const value = parse(text);
  if (value !== undefined) {
    return namesSecret(text, true) ? JSON.stringify(replaceSecrets(value, () => redacted)) : text;
  }
  // An escape may hide any name, and this text cannot be parsed.
  return /\\u00/i.test(text) ? omitted : redactLines(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces the rest of each line after a secret name, so that an error message such as `token: …` keeps its start. */
function redactLines(text: string): string {
  let shown = '';
  let at = 0;
  for (const { index, 0: found, 1: name = '' } of text.matchAll(looseName)) {
    if (index < at || !isSecretName(name)) continue;
    const start = index + found.length;
    const lineEnd = text.slice(start).search(/[\r\n]/);
    shown += `${text.slice(at, start)}${redacted}`;
    at = lineEnd < 0 ? text.length : start + lineEnd;
  }
  return shown + text.slice(at);
}
