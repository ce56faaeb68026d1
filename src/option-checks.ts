/** What is wrong with the value of an option, beginning with what was expected; undefined where it will do. */
import { didYouMean } from './base/nearest.ts';
import { isTimestamp, toTimestamp } from './base/time.ts';
import { parseAllowList, refuseUrl } from './callbacks/address.ts';
import { parseSecret } from './callbacks/signature.ts';
import { parseKey } from './contract/keys.ts';

const secretHelp = '(not shown)';

/** One of these names. */
export function oneOf(...names: readonly string[]): (text: string) => string | undefined {
  return (text) =>
    names.includes(text) ? undefined : `expected ${names.join(', ')}, got "${text}"${didYouMean(text, names)}`;
}

/** A port, or 0. */
export function checkPort(text: string): string | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? undefined
    : `expected a number from 0 to 65535, got "${text}"`;
}

/** What a clock begins as. */
export function checkClock(text: string): string | undefined {
  if (text === 'real' || text === 'frozen' || isTimestamp(text)) return undefined;
  const meant = didYouMean(text, ['real', 'frozen']);
  return `expected real, frozen or an ISO 8601 timestamp with offset such as ${toTimestamp(0)}, got "${text}"${meant}`;
}

/** An address that callbacks may go to. */
export function checkUrl(text: string): string | undefined {
  const parsed = parseAllowList([]);
  return parsed.ok ? refuseUrl(text, parsed.allow) : undefined;
}

/** A secret of callbacks, which is not shown. */
export function checkSecret(text: string): string | undefined {
  const parsed = parseSecret(text);
  return parsed.ok ? undefined : `${parsed.message} ${secretHelp}`;
}

/** Where callbacks may go. */
export function checkAllow(text: string): string | undefined {
  const parsed = parseAllowList([text]);
  return parsed.ok ? undefined : parsed.message;
}

/** A key, with what it is good for. */
export function checkKey(text: string): string | undefined {
  const parsed = parseKey(text);
  return typeof parsed === 'string' ? parsed : undefined;
}

/** What can stand in a header. */
export function checkToken(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? undefined : 'expected visible ASCII characters without spaces';
}

/** The address of a map's pictures. */
export function checkTiles(text: string): string | undefined {
  return /^https?:\/\/[^/]+\/.*\{z\}/.test(text) && text.includes('{x}') && text.includes('{y}')
    ? undefined
    : `expected an http or https address with {z}, {x} and {y} in its path, got "${text}"`;
}

/** Where to listen. */
export function checkHost(text: string): string | undefined {
  return text.trim() === '' ? 'expected a host name or address' : undefined;
}

/** On or off. */
export const checkSwitch: (text: string) => string | undefined = oneOf('true', 'false', '1', '0');
