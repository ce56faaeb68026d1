/** Explains why a request has no valid key: where else it has one, or what surrounds it. Never shows a key. */
import { defaultKey } from '../config/keys.ts';
import type { Problem } from '../lib/problem.ts';
import { toKeyProblem } from './api-key.ts';

/** Headers in which clients send the key by mistake; the correct one is `apikey`. */
const otherHeaders = ['authorization', 'x-api-key', 'api-key', 'x-apikey', 'api_key', 'x-auth-token'];

/** Explains a missing key; `isKey` returns whether a text is a key. */
export function explainMissing(
  headers: Readonly<Record<string, unknown>>,
  url: string,
  isKey: (text: string) => boolean,
): Problem {
  const elsewhere = otherHeaders.find((name) => headers[name] !== undefined);
  const value = elsewhere && String(headers[elsewhere]).replace(/^\S+ +/, '');
  const content = value !== undefined && isKey(value) ? 'a valid key; send it' : 'a value; send the key';
  const inQuery = [...new URLSearchParams(url.split('?')[1] ?? '').values()].some(isKey);
  const where =
    elsewhere === undefined
      ? inQuery && 'the query has a valid key; send it as the header `apikey`'
      : `the header \`${elsewhere}\` has ${content} as \`apikey\``;
  return toKeyProblem('missingKey', `the API key is missing: ${where || 'send it in the header `apikey`'}`);
}

/** Longer headers are not searched: the patterns would take time, and no key with something around it is as long. */
const maxSearched = 500;

/** What surrounds a key by mistake. The group is the key. */
const surroundings: readonly (readonly [pattern: RegExp, mistake: string])[] = [
  [/^(.+), \1$/, 'the header has a valid key twice; send it once'],
  [/^[A-Za-z]+ +(.+)$/, 'the header has a valid key after a word such as Bearer; send the key alone'],
  [/^["'<](.+)["'>]$/, 'the header has a valid key in quotes or brackets; send the key alone'],
  [/^(.+?)[@=]/, 'the header has a valid key with its region or projects; send only the key before them'],
];

/** For clients of the API, who may have expected the default key, or one that they did not set. */
export const whichKeys: string = `: --api-key sets the keys; without it, the key is ${defaultKey}`;

const placeholder = /^(?:\$\{?\w+\}?|%\w+%|\{\{.*\}\}|<.*>)$/;

/** Explains a key that was never issued; `hint` follows if nothing valid surrounds it. */
export function explainUnknown(given: string, isKey: (text: string) => boolean, hint: string): Problem {
  const searched = given.length > maxSearched ? '' : given;
  const found = surroundings.find(([pattern]) => isKey(pattern.exec(searched)?.[1] ?? ''));
  const mistake = placeholder.test(searched)
    ? 'the header has a variable that was not replaced by its value'
    : (found?.[1] ?? `this API key was never issued${hint}`);
  const bearer = /^bearer /i.test(searched) && !found ? '; the header has the key alone, without Bearer' : '';
  return toKeyProblem('unknownKey', mistake + bearer);
}
