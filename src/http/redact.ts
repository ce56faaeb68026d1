/** Leaves secrets out of what is recorded: keys in headers and URLs, passwords in bodies. */
import type { Json } from '../base/json.ts';
import { isSecretName, isSecretParameter } from '../base/secret-name.ts';
import type { RecordedBody } from '../journal/journal.ts';
import type { RawBody } from './body.ts';

/** What stands in a secret's place. */
const redacted = '***';

/** Headers as they may be recorded: those that carry keys, by name or by what they hold, have none. */
export function redactHeaders(
  headers: NodeJS.Dict<string | string[]>,
  isKey: (text: string) => boolean,
): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name in headers) {
    const value = String(headers[name]);
    shown[name] = !plainHeaders.has(name) && (isSecretName(name) || holdsKey(value, isKey)) ? redacted : value;
  }
  return shown;
}

/** Whether a key stands in a header's value, alone or among other words. */
function holdsKey(value: string, isKey: (text: string) => boolean): boolean {
  return isKey(value) || (/[\s,;=:]/.test(value) && value.split(/[\s,;=:]+/).some(isKey));
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

const parameter = /([?&])([^=&#]*)=([^&#]*)/g;

/** The URL of a request as it may be recorded. */
export function redactUrl(url: string, isKey: (text: string) => boolean): string {
  if (!url.includes('?')) return url;
  return url.replace(parameter, (whole, mark: string, name: string, value: string) =>
    isSecretParameter(decode(name)) || isKey(decode(value)) ? `${mark}${name}=${redacted}` : whole,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Where callbacks go, as it may be recorded: what follows the `?` is often the receiver's key, whatever its name. */
export function redactEndpoint(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/?#]*@/, `$1${redacted}@`).replace(/\?.*$/s, `?${redacted}`);
}

/** A copy of a body's value with something else in the place of its secrets, at any depth. */
function replaceSecrets(value: unknown, replace: (secret: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => replaceSecrets(inner, replace));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  for (const [key, inner] of Object.entries(value)) {
    const shown = isSecretName(key) ? replace(inner) : replaceSecrets(inner, replace);
    Object.defineProperty(copy, key, { value: shown, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

/** Every name of a secret has one of these in it; behind the last, any letter may be hidden. */
const traceOfSecret = /pas|psw|paw|pwd|secret|token|credential|api[-_]?key|authorization|cookie|\\u00/gi;
const fieldName = /"((?:[^"\\]|\\.){1,80})"\s*:/y;
/** How far before a trace the name that it is in may begin, its letters escaped. */
const longestName = 170;
/** What was meant as a field's name where the text is no JSON. */
const looseName = /(?<![\w-])([\w-]{1,80})["']?\s{0,8}[:=]/g;

/** Whether a field of a body has the name of a secret; all that the text says counts, also what a parser passes over. */
export function namesSecret(text: string, isJson: boolean): boolean {
  const seen = new Set<string>();
  const isNew = (name: string): boolean => !seen.has(name) && seen.add(name) !== undefined;
  const beginning = new RegExp(fieldName);
  let hasTrace = false;
  let tried = -1;
  for (const { index } of text.matchAll(traceOfSecret)) {
    hasTrace = true;
    // Wherever it may begin: which quote ends a text, and which begins one, is not known here. Each is tried once.
    for (let at = index; at > Math.max(tried, index - longestName); at -= 1) {
      if (text[at] !== '"') continue;
      beginning.lastIndex = at;
      const [, name = ''] = beginning.exec(text) ?? [];
      if (beginning.lastIndex > index && isNew(name) && isSecretName(readName(name))) return true;
    }
    tried = index;
  }
  if (isJson || !hasTrace) return false;
  for (const [, name = ''] of text.matchAll(looseName)) if (isNew(name) && isSecretName(name)) return true;
  return false;
}

/** A name without its escapes; where they are none of JSON's, without those of letters. */
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

type Text = Extract<RawBody, { text: string }>;

/** Records a body in which the contract has found nothing strange: it is looked through before anybody sees it. */
export function recordLater({ text, size }: Text): RecordedBody {
  let seen: ReturnType<RecordedBody['read']> | undefined;
  return {
    size,
    read: () => {
      seen ??= namesSecret(text, true) ? withoutSecrets(JSON.parse(text)) : { shown: text };
      return seen;
    },
  };
}

/** Records a body at once. `value`: what it says, where that may be a secret and can be read. */
export function recordNow({ text, size }: Text, mayHoldSecret: boolean, value: unknown): RecordedBody {
  if (!mayHoldSecret || text === '') return { size, read: () => ({ shown: text }) };
  const seen = value === undefined ? { shown: leftOut } : withoutSecrets(value);
  return { size: 2 * size, read: () => seen };
}

const leftOut = '(left out: it can not be read, and may hold a password)';

function withoutSecrets(value: unknown): ReturnType<RecordedBody['read']> {
  return { shown: JSON.stringify(replaceSecrets(value, () => redacted)), again: toStandIn(value) };
}

/**
 * The text of a body that is answered as this one was, without the secrets in it: a password is replaced by one that
 * keeps or breaks the same rules.
 */
function toStandIn(value: unknown): string {
  // JSON has no word for what `1e999` is read as, and would make null of it.
  const text = JSON.stringify(replaceSecrets(value, standInFor), (_key, one: unknown) =>
    one === Number.POSITIVE_INFINITY ? beyond : one === Number.NEGATIVE_INFINITY ? `-${beyond}` : one,
  );
  return text.replaceAll(`"${beyond}"`, '1e999').replaceAll(`"-${beyond}"`, '-1e999');
}

/** Stands for a number beyond all that there are until it is text; nobody sends it. */
const beyond = 'a number beyond all that JSON.parse can tell apart';

/** The characters of which a password needs one. */
const special = /[!@#$%()&*\-^=+;<>?]/;

/** Of the same type, and of the same kinds of characters. */
function standInFor(secret: unknown): unknown {
  if (typeof secret === 'number') return 0;
  if (typeof secret === 'object' && secret !== null) return Array.isArray(secret) ? [] : {};
  if (typeof secret !== 'string' || secret === '') return secret;
  return `${/[A-Z]/.test(secret) ? 'S' : 's'}tand${special.test(secret) ? '-' : ' '}in`;
}
