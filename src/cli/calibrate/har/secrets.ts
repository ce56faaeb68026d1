/** Removes secrets while an archive is read: keys, cookies, passwords, tokens in queries. */
import { hash } from 'node:crypto';
import { parseJson } from '../../../client/send.ts';
import { namesSecret, toReplayBody } from '../../../http/redact.ts';
import { isDeeperThan } from '../../../lib/depth.ts';
import { isSecretName, isSecretParameter } from '../../../lib/secret-name.ts';
import type { Content, Exchange } from '../exchange.ts';
import { type Decoded, maxLevels } from './content.ts';

/** Texts that tools write in place of a secret. */
const mask = /^(\*+|x{3,}|\[?<?(redacted|removed|masked|filtered|hidden|secret)>?\]?|\.\.\.|…|)$/i;

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

const cookies = /^(set-)?cookie2?$/;

/** Removes the headers that hold secrets. */
export function withoutHeaderSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !cookies.test(name) && !isSecretName(name) && name !== 'x-auth'),
  );
}

/** Removes the query parameters that hold secrets. */
export function withoutSecretParameters(
  query: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return query.filter(([name]) => !isSecretParameter(name));
}

/**
 * Replaces the secrets of a body. A secret of a request becomes a text that breaks the same rules; a masked one becomes
 * a valid text. A text that is not JSON is cut where it may hold one.
 */
export function withoutSecrets(
  decoded: Decoded,
  { isRequest }: { readonly isRequest: boolean },
): { readonly content: Content | undefined; readonly hasMaskedSecrets: boolean } | { readonly reason: string } {
  if ('reason' in decoded) return decoded;
  const { text } = decoded;
  if (text === undefined || text === '') return { content: undefined, hasMaskedSecrets: false };
  const value = parseJson(text);
  if (isDeeperThan(value, maxLevels)) return { reason: `the body has more than ${maxLevels} levels` };
  const isJson = value !== undefined;
  if (!namesSecret(text, isJson)) return { content: { text, ...(isJson && { value }) }, hasMaskedSecrets: false };
  if (!isJson) return { content: { text: '(removed: it may contain a secret)' }, hasMaskedSecrets: false };
  let hasMaskedSecrets = false;
  const replaced = toReplayBody(
    unmask(value, () => {
      hasMaskedSecrets = true;
    }),
  );
  return { content: { text: replaced, value: parseJson(replaced) }, hasMaskedSecrets: isRequest && hasMaskedSecrets };
}

/** A text that follows the shown rules of a password. */
const validSecret = 'Stand-in';

function unmask(value: unknown, onMask: () => void): unknown {
  if (Array.isArray(value)) return value.map((item) => unmask(item, onMask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (!isSecretName(name) || typeof inner !== 'string' || !mask.test(inner) || inner === '')
        return [name, unmask(inner, onMask)];
      onMask();
      return [name, validSecret];
    }),
  );
}
