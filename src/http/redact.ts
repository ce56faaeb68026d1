/** Leaves secrets out of what is recorded: keys in headers and URLs, passwords in bodies. */
import type { Json } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';

/** What stands in a secret's place. */
const redacted = '***';

const secretHeaders = new Set([
  'apikey',
  'api-key',
  'api_key',
  'x-api-key',
  'x-apikey',
  'x-auth-token',
  'authorization',
  'proxy-authorization',
  'cookie',
]);

/** Headers as they may be recorded: those that carry keys, by name or by what they hold, have none. */
export function redactHeaders(
  headers: NodeJS.Dict<string | string[]>,
  isKey: (text: string) => boolean,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name in headers) {
    const value = String(headers[name]);
    shown[name] = secretHeaders.has(name) || (!plainHeaders.has(name) && isKey(value)) ? redacted : value;
  }
  return shown;
}

/** Headers that every client sends; not worth a hash each. */
const plainHeaders = new Set([
  'host',
  'connection',
  'content-type',
  'content-length',
  'accept',
  'user-agent',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
]);

const secretQuery = /([?&](?:api[-_]?key|key|token|password|secret)=)[^&#]*/gi;

/** A URL as it may be recorded. */
export function redactUrl(url: string): string {
  return url.includes('?') ? url.replace(secretQuery, `$1${redacted}`) : url;
}

const secretField = /pass|pwd|secret|api[-_]?key/i;

/** Whether a field holds a secret, to judge by its name; a misspelled one, which the API ignores, would show it too. */
function isSecret(name: string): boolean {
  return secretField.test(name) || nearest(name, ['password']) !== undefined;
}

/** A body's value as it may be recorded: a copy without the secrets in it, at any depth. */
function redactValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    const shown = isSecret(key) ? redacted : redactValue(inner);
    Object.defineProperty(copy, key, { value: shown, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/**
 * What is recorded of a body whose value is known, or not yet. One that may hold a password is recorded without it, or,
 * as long as it can't be read, not at all.
 */
export function recordBody(mayHoldPassword: boolean, text: string, value: unknown): string {
  if (!mayHoldPassword || text === '') return text;
  return value === undefined
    ? '(left out: it can not be read, and may hold a password)'
    : JSON.stringify(redactValue(value));
}
