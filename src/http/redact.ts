/** Redacts secrets in recorded requests and stored responses: keys in headers and URLs, passwords in bodies. */
import type { ReceiverResponse } from '../callbacks/callback.ts';
import type { ReceivedResponse } from '../callbacks/send.ts';
import type { RecordedBody } from '../journal/entry.ts';
import type { Json } from '../lib/json.ts';
import type { Problem } from '../lib/problem.ts';
import { isSecretName, isSecretParameter } from '../lib/secret-name.ts';
import { sizeOfKeptText } from '../usage/size.ts';

const redacted = '***';

/** Returns the headers to record: replaces values of headers that have a secret name or contain an API key, and hides those in URLs. */
export function redactHeaders(
  headers: NodeJS.Dict<string | string[]>,
  isKey: (text: string) => boolean,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name in headers) {
    const value = String(headers[name]);
    const isPlain = plainHeaders.has(name);
    if ((!isPlain && isSecretName(name)) || containsKey(value, isKey)) shown[name] = redacted;
    else shown[name] = isPlain || !urlMark.test(value) ? value : redactUrl(value, isKey, true);
  }
  return shown;
}

/** Characters of a URL with several parts. */
const urlMark = /[/?#]/;

/** Looks for a key between separators. In a loop, because every header of every request is searched. */
function containsKey(value: string, isKey: (text: string) => boolean): boolean {
  let start = 0;
  for (let at = 0; at < value.length; at += 1) {
    if (!isSeparator(value.charCodeAt(at))) continue;
    if (start < at && isKey(value.slice(start, at))) return true;
    start = at + 1;
  }
  return isKey(value) || (start > 0 && isKey(value.slice(start)));
}

/** Whether a character is a space, or one of `,:;=`. */
function isSeparator(code: number): boolean {
  return code <= 0x20 || code === 0x2c || code === 0x3a || code === 0x3b || code === 0x3d;
}

/** Common headers without secret names; skipping them saves most of the time. */
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

/** Replaces the quotations in a text that have an API key. */
function hideKeys(text: string, isKey: (text: string) => boolean): string {
  return text.replace(/"[^"]*"/g, (quoted) => (containsKey(quoted.slice(1, -1), isKey) ? `"${redacted}"` : quoted));
}

/** Returns parameters without the names that are API keys: messages repeat names. */
export function hideNames<Value>(
  values: Readonly<Record<string, Value>>,
  isKey: (text: string) => boolean,
): Readonly<Record<string, Value>> {
  for (const name in values)
    if (isKey(name))
      return Object.fromEntries(Object.entries(values).map(([key, value]) => [isKey(key) ? redacted : key, value]));
  return values;
}

/** Replaces the quotations in the messages of a problem that have an API key. */
export function hideKeysOf(problem: Problem, isKey: (text: string) => boolean): Problem {
  const hide = <Shown extends { readonly message: string }>(one: Shown): Shown => ({
    ...one,
    message: hideKeys(one.message, isKey),
  });
  return { ...hide(problem), ...(problem.errors && { errors: problem.errors.map(hide) }) };
}

/** Parts of a query and fragment. Other patterns take quadratic time for `????`. */
const urlPart = /[?&#][^&#]*/g;
/** Names and values of a part, and segments and parameters of a path. */
const parameter = /(?<=[?&#;])([^?;=]*)(?:=([^?;]*))?/g;
const pathPiece = /(?<=^|[/;])([^/;=]*)(?:=([^/;]*))?/g;

/**
 * Returns the URL to record, with secret parameters replaced. The path is searched only if `searchesPath`: that of an
 * operation has ids, which a replay needs.
 */
export function redactUrl(url: string, isKey: (text: string) => boolean, searchesPath = false): string {
  const found = url.search(/[?#]/);
  if (found < 0 && !searchesPath) return url;
  const pathEnd = found < 0 ? url.length : found;
  const path = url.slice(0, pathEnd);
  const rest = url.slice(pathEnd).replace(urlPart, (part) => {
    const start = part.indexOf('=') + 1;
    // A key may have any character.
    if (start > 0 && isKey(decode(part.slice(start)))) return part.slice(0, start) + redacted;
    return redactPieces(part, parameter, (text) => isKey(decode(text)));
  });
  // In a path, a plus is no space.
  const isKeyInPath = (text: string): boolean => isKey(decode(text.replaceAll('+', '%2B')));
  return (searchesPath ? redactPieces(path, pathPiece, isKeyInPath) : path) + rest;
}

/** Replaces keys that are names or values, and the rest after a secret name: its value may have any character. */
function redactPieces(text: string, pattern: RegExp, isKey: (text: string) => boolean): string {
  let shown = '';
  let at = 0;
  for (const { index, 1: name = '', 2: value } of text.matchAll(pattern)) {
    const hide = (start: number, part: string | undefined): void => {
      if (!part || !isKey(part)) return;
      shown += text.slice(at, start) + redacted;
      at = start + part.length;
    };
    const valueAt = index + name.length + 1;
    // A key may look like a secret name.
    hide(index, name);
    if (value !== undefined && isSecretParameter(decode(name))) return shown + text.slice(at, valueAt) + redacted;
    hide(valueAt, value);
  }
  return shown + text.slice(at);
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Returns the callback URL without user, password and query, which often has the receiver's key. */
export function redactEndpoint(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/?#]*@/, `$1${redacted}@`).replace(/\?.*$/s, `?${redacted}`);
}

/** Returns a copy of a body's value with its secrets replaced, at any depth. */
export function replaceSecrets(value: unknown, replace: (secret: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => replaceSecrets(inner, replace));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    const shown = isSecretName(key) ? replace(inner) : replaceSecrets(inner, replace);
    Object.defineProperty(copy, key, { value: shown, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** Every secret name contains one of these; the last one is an escape that may encode any letter. */
const traceOfSecret = /pas|psw|paw|pwd|secret|token|credential|api[-_]?key|authorization|cookie|\\u00/gi;
/** A field name with its colon; `lastIndex` is set before each use. */
const fieldName = /"((?:[^"\\]|\\.){1,80})"\s*:/y;
/** Maximum distance from the start of a name to a trace in it, in characters; letters of the name may be escaped. */
const maxNameLength = 170;
/** Probable names of fields, XML elements and parts of a multipart body, in a text that is not JSON. */
const looseName: RegExp = /(?<![\w-])([\w-]{1,80})["']?(?:\s{0,8}[:=>]|\r?\n\r?\n)/g;

/** Maximum number of traces and of different names that are examined in one body, about 50 ms. */
const maxExamined = 20_000;

/**
 * Returns whether a body has a field with a secret name, or too many names to tell. Searches the text, to include fields
 * that a parser drops.
 */
export function namesSecret(text: string, isJson: boolean): boolean {
  const checked = new Set<string>();
  let lastTried = -1;
  let traces = 0;
  for (const { index } of text.matchAll(traceOfSecret)) {
    traces += 1;
    if (traces > maxExamined) return true;
    if (hasSecretNameAround(text, index, Math.max(lastTried, index - maxNameLength), checked)) return true;
    lastTried = index;
  }
  if (isJson || lastTried < 0) return false;
  for (const [, name = ''] of text.matchAll(looseName)) {
    if (isNew(name, checked) && (checked.size > maxExamined || isSecretName(name))) return true;
  }
  return false;
}

/**
 * Returns whether a secret name that begins after `from` contains the trace at `index`. Tries every quote as the start
 * of a name, because opening and closing quotes look the same here.
 */
function hasSecretNameAround(text: string, index: number, from: number, checked: Set<string>): boolean {
  for (let at = index; at > from; at -= 1) {
    if (text[at] !== '"') continue;
    fieldName.lastIndex = at;
    const [, name = ''] = fieldName.exec(text) ?? [];
    if (fieldName.lastIndex > index && isNew(name, checked) && isSecretName(readName(name))) return true;
  }
  return false;
}

/** Adds a name to the checked ones. Returns whether it was not checked before. */
function isNew(name: string, checked: Set<string>): boolean {
  return !checked.has(name) && checked.add(name) !== undefined;
}

/** Decodes the escapes of a name; if they are not valid JSON, only the `\u` escapes. */
function readName(name: string): string {
  if (!name.includes('\\')) return name;
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return name.replace(/\\u([0-9a-f]{4})/gi, (_escape, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
}

/** Records a valid body without warnings; searches it for secrets only when it is read. */
export function recordLater(text: string): RecordedBody {
  let result: ReturnType<RecordedBody['read']> | undefined;
  return {
    size: sizeOfKeptText(text),
    read: () => {
      result ??= namesSecret(text, true) ? withoutSecrets(JSON.parse(text)) : { shown: text };
      return result;
    },
  };
}

/** Records a body, with its secrets already redacted. `value`: the parsed body, or undefined if it can't be parsed. */
export function recordNow(text: string, mayHoldSecret: boolean, value: unknown): RecordedBody {
  const size = sizeOfKeptText(text);
  if (!mayHoldSecret || text === '') return { size, read: () => ({ shown: text }) };
  const result = value === undefined ? { shown: omitted } : withoutSecrets(value);
  return { size: 2 * size, read: () => result };
}

const omitted = '(omitted: the body is not a valid JSON object and may contain a password)';

function withoutSecrets(value: unknown): ReturnType<RecordedBody['read']> {
  return { shown: JSON.stringify(replaceSecrets(value, () => redacted)), again: toReplayBody(value) };
}

/** Returns a body that gets the same response: each password is replaced by one that breaks the same rules. */
export function toReplayBody(value: unknown): string {
  // JSON.parse reads `1e999` as Infinity, and JSON.stringify would write that as null.
  const text = JSON.stringify(replaceSecrets(value, toReplacement), (_key, one: unknown) =>
    one === Number.POSITIVE_INFINITY
      ? infinityPlaceholder
      : one === Number.NEGATIVE_INFINITY
        ? `-${infinityPlaceholder}`
        : one,
  );
  return text.replaceAll(`"${infinityPlaceholder}"`, '1e999').replaceAll(`"-${infinityPlaceholder}"`, '-1e999');
}

/** Placeholder for Infinity until the value is serialised; clients do not send this text. */
const infinityPlaceholder = 'a number beyond all that JSON.parse can tell apart';

/** Special characters; a password needs at least one of them. */
const special = /[!@#$%()&*\-^=+;<>?]/;

/** Returns a replacement of the same type, with the same kinds of characters. */
function toReplacement(secret: unknown): unknown {
  if (typeof secret === 'number') return 0;
  if (typeof secret === 'object' && secret !== null) return Array.isArray(secret) ? [] : {};
  if (typeof secret !== 'string' || secret === '') return secret;
  return `${/[A-Z]/.test(secret) ? 'S' : 's'}tand${special.test(secret) ? '-' : ' '}in`;
}

/** Maximum size of a stored body, in bytes. */
const maxStoredBytes = 4096;

/** Creates the function that converts a response as it was received to what is stored of it. */
export function createResponseRedaction(
  isKey: (text: string) => boolean,
): (received: ReceivedResponse) => ReceiverResponse {
  return ({ headers, body, size, isWhole, durationMs }) => {
    const shown = hideKeys(redactBody(body), isKey);
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
