/** Returns the host names and addresses of the self-signed certificate. */
import { isIP } from 'node:net';
import { regions } from './keys.ts';
import { isAnyAddress } from './option-checks.ts';

/** Default names. Node and browsers do not accept `*.localhost`, so the hosts of the regions are listed. */
const defaultNames: readonly string[] = [
  'localhost',
  '127.0.0.1',
  '::1',
  ...regions.map((region) => `${region}.localhost`),
  '*.localhost',
];

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const namePattern = new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`, 'i');

/** Whether a text is an IP address, without brackets and zone. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/** Checks a certificate name. Returns a message that begins with the expected value, or undefined if it is valid. */
export function checkTlsName(text: string): string | undefined {
  const isName = namePattern.test(text) && text.length <= 253 && !/^[\d.]+$/.test(text);
  return isName || isAddress(text)
    ? undefined
    : `expected a host name, *.NAME or IP address, without scheme and port, got "${text}"`;
}

/** Returns all names of the certificate: the defaults, that of `--host` and those of `--tls-name`, in lower case. */
export function toNames(host: string, more: readonly string[]): readonly string[] {
  // No client connects to a wildcard address.
  const own = isAnyAddress(host) || checkTlsName(host) !== undefined ? [] : [host];
  return [...new Set([...defaultNames, ...own, ...more].map((name) => name.toLowerCase()))];
}
