/** Removes secrets while an archive is read: keys, cookies, passwords, tokens in queries. */
import { hash } from 'node:crypto';
import { parseJson } from '../../client/send.ts';
import { namesSecret, replaceSecrets, toReplayBody } from '../../http/redact.ts';
import { isDeeperThan } from '../../lib/depth.ts';
import { isSecretName } from '../../lib/secret-name.ts';
import type { Decoded } from './body.ts';
import type { Content, Exchange } from './exchange.ts';

/** Maximum depth of an entry and of a body, for functions that call themselves. The API rejects flatter bodies. */
export const maxLevels = 500;

/** Texts that tools write in place of a secret. */
const mask = /^(\*+|x{3,}|\[?<?(redacted|removed|masked|filtered|hidden)>?\]?|\.\.\.|…|)$/i;

/** Creates a function that numbers API keys in the order of their appearance. It keeps hashes only. */
export function createKeyNumbers(): (key: string | undefined) => Exchange['key'] {
  const numbers = new Map<string, number>();
  return (key) => {
    if (key === undefined) return undefined;
    if (mask.test(key)) return 'masked';
    const digest = hash('sha256', key);
    const number = numbers.get(digest) ?? numbers.size;
    numbers.set(digest, number);
    return number;
  };
}

/** Removes the headers that hold secrets. */
export function withoutHeaderSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  const isSecret = (name: string): boolean => isSecretName(name) || /^((set-)?cookie2?|x-auth)$/.test(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isSecret(name)));
}

/**
 * Replaces the secrets of a body. A secret becomes a text that breaks the same rules; a masked one becomes a valid text.
 * A text that is not JSON is cut where it may hold one.
 */
export function withoutSecrets(decoded: Decoded): { readonly content?: Content } | { readonly reason: string } {
  if ('reason' in decoded) return decoded;
  const { text } = decoded;
  if (text === undefined || text === '') return {};
  const value = parseJson(text);
  if (isDeeperThan(value, maxLevels)) return { reason: `the body has more than ${maxLevels} levels` };
  const isJson = value !== undefined;
  if (!namesSecret(text, isJson)) return { content: { text, ...(isJson && { value }) } };
  if (!isJson) return { content: { text: '(removed: it may contain a secret)' } };
  const replaced = toReplayBody(replaceSecrets(value, unmask));
  return { content: { text: replaced, value: parseJson(replaced) } };
}

/** Returns a text that follows the shown rules of a password in place of a masked one. */
function unmask(secret: unknown): unknown {
  return typeof secret === 'string' && secret !== '' && mask.test(secret) ? 'Stand-in' : secret;
}
