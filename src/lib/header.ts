/** Syntax of HTTP headers that an operator or a scenario sets, and what headers of requests say. */
import type { IncomingMessage } from 'node:http';

export const headerName: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
export const headerValue: RegExp = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that must not be set: a second value for body length or framing makes a message invalid HTTP. */
export const framingHeaders: readonly string[] = ['content-length', 'transfer-encoding', 'trailer'];

/** Headers that the sandbox sets on all responses of the API, or on those with warnings. */
export const sandboxHeaders: readonly string[] = ['x-request-id', 'x-sandbox-warnings'];

/** Returns the names of headers that an earlier one has too, in any case. */
export function findRepeatedNames(headers: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.keys(headers);
  const lower = names.map((name) => name.toLowerCase());
  return names.filter((name, index) => lower.indexOf(name.toLowerCase()) < index);
}

/** Headers that belong to the connection, and that Node or the receiver's proxy sets. */
export const connectionHeaders: readonly string[] = [
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
];

/** Whether the client uses https, to the sandbox itself or to a proxy in front of it, which names the scheme. */
export function isOverTls({ socket, headers }: IncomingMessage): boolean {
  const scheme = String(headers['x-forwarded-proto']).split(',', 1)[0]?.trim().toLowerCase();
  if (scheme === 'http' || scheme === 'https') return scheme === 'https';
  return 'encrypted' in socket && socket.encrypted === true;
}

/** Encodes characters that a header can't contain, as in a URL. Ids of a client may have any characters. */
export function toHeaderValue(text: string): string {
  return headerValue.test(text) ? text : text.replace(/[^\t\x20-\x7e]/gu, toEncoded);
}

function toEncoded(character: string): string {
  return /[\ud800-\udfff]/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character);
}
