/** Checks option values. Each check returns a message that begins with the expected value, or undefined if valid. */

import { checkCallbackUrl, parseAllowList } from '../callbacks/address.ts';
import { parseSecret } from '../callbacks/signature.ts';
import { isValidRate, maxRate, minRate, parseRate } from '../lib/clock.ts';
import { parseDuration } from '../lib/duration.ts';
import { maskUrl } from '../lib/mask-url.ts';
import { didYouMean } from '../lib/nearest.ts';
import { isTimestamp, maxClockMs, parseTimestamp, toTimestamp } from '../lib/time.ts';
import { isUrl } from '../lib/url.ts';
import { parseSize, sizePattern } from '../openapi/profile/profile.ts';
import { maxMemory } from '../usage/admission.ts';
import { parseKey } from './keys.ts';

/** Creates a check for one of these names. */
export function oneOf(...names: readonly string[]): (text: string) => string | undefined {
  return (text) =>
    names.includes(text) ? undefined : `expected one of ${names.join(', ')}, got "${text}"${didYouMean(text, names)}`;
}

/** Checks a port number; 0 is valid. */
export function checkPort(text: string): string | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? undefined
    : `expected a number from 0 to 65535, got "${text}"`;
}

/** Checks the clock: real, frozen, a timestamp or a rate. */
export function checkClock(text: string): string | undefined {
  if (text === 'real' || text === 'frozen') return undefined;
  const rate = parseRate(text);
  if (rate !== undefined) return isValidRate(rate) ? undefined : `expected a rate ${rateRange}, got "${text}"`;
  if (isTimestamp(text)) {
    const ms = parseTimestamp(text) ?? 0;
    if (ms >= 0 && ms <= maxClockMs) return undefined;
    return `expected a time from ${toTimestamp(0)} to ${toTimestamp(maxClockMs)}, got "${text}"`;
  }
  const withUnit = `${text}x`;
  const suggestion = didYouMean(text, ['real', 'frozen', ...(isValidRate(parseRate(withUnit) ?? 0) ? [withUnit] : [])]);
  return `expected real, frozen or an ISO 8601 timestamp with offset such as ${toTimestamp(0)}, or a rate ${rateRange}, got "${text}"${suggestion}`;
}

const rateRange = `from ${minRate}x to ${maxRate}x`;

/** Checks a callback URL. The message shows it without its secrets. */
export function checkUrl(text: string): string | undefined {
  const mistake = checkCallbackUrl(text, []);
  return mistake && `${mistake}, got "${maskUrl(text)}"`;
}

/** Checks a callback secret. A profile may accept other ones, so the start checks it again. The message hides it. */
export function checkSecret(
  text: string,
  { profile }: { readonly profile?: string | undefined } = {},
): string | undefined {
  const parsed = parseSecret(text, profile === undefined ? 'standard' : 'text');
  return parsed.ok ? undefined : `${parsed.message} (not shown)`;
}

/** Checks an entry of the callback allowlist. */
export function checkAllow(text: string): string | undefined {
  const parsed = parseAllowList([text]);
  return parsed.ok ? undefined : parsed.message;
}

/** Checks an API key with its region and projects. */
export function checkKey(text: string): string | undefined {
  try {
    parseKey(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Minimum of `--memory`, in bytes. */
const minMemory = 64 * 1024 ** 2;

/** Checks a memory size, such as 512MB. */
export function checkMemory(text: string): string | undefined {
  if (!sizePattern.test(text)) return `expected a size such as 512MB or 2GB, got "${text}"`;
  const bytes = parseSize(text);
  const toMb = (size: number): string => `${Math.floor(size / 1024 ** 2)}MB`;
  if (bytes < minMemory) return `expected at least ${toMb(minMemory)}, got ${text}`;
  if (bytes <= maxMemory()) return undefined;
  return `expected at most ${toMb(maxMemory())}, 75 % of the V8 heap, got ${text}; increase --max-old-space-size in NODE_OPTIONS`;
}

/** Checks a token that must fit in a header. */
export function checkToken(text: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(text) ? undefined : 'expected visible ASCII characters without spaces';
}

/** Checks a URL template for map tiles. */
export function checkTiles(text: string): string | undefined {
  const isTemplate = /^https?:\/\/[^/]+\/.*\{z\}/.test(text) && text.includes('{x}') && text.includes('{y}');
  return isTemplate && isUrl(text.replace('{s}', 'a'))
    ? undefined
    : `expected an http or https URL with {z}, {x} and {y} in its path, got "${text}"`;
}

/** Checks the address to listen on. */
export function checkHost(text: string): string | undefined {
  return text.trim() === '' ? 'expected a host name or address' : undefined;
}

/** Whether only this machine can reach an address to listen on. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Checks a switch. */
export const checkSwitch: (text: string) => string | undefined = oneOf('true', 'false', '1', '0');

/** Checks the URL of a database. The message does not show it, because it may contain a password. */
export function checkPostgres(text: string): string | undefined {
  return /^postgres(ql)?:\/\//.test(text) && isUrl(text)
    ? undefined
    : 'expected a URL postgres://USER:PASSWORD@HOST:PORT/DATABASE (the value is not shown)';
}

const minLeaseMs = 2000;
const maxLeaseMs = 60_000;

/** Checks the time after which a silent server is replaced. */
export function checkLease(text: string): string | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms >= minLeaseMs && ms <= maxLeaseMs
    ? undefined
    : `expected a duration from 2s to 1m, got "${text}"`;
}

/** Whether a server with this `--host` listens on all addresses of its machine. */
export function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
