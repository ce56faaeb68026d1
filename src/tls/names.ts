/** The names that a certificate of the sandbox's own is good for. */
import { isIP } from 'node:net';
import { regions } from '../contract/keys.ts';

/** Where a sandbox of this machine is asked for; node and browsers take no `*.localhost`, so the regions' hosts are named. */
const usualNames: readonly string[] = [
  'localhost',
  '127.0.0.1',
  '::1',
  ...regions.map((region) => `${region}.localhost`),
  '*.localhost',
];

/** Addresses that stand for all of the machine's, and that nobody asks for. */
const allAddresses: readonly string[] = ['0.0.0.0', '::'];

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const namePattern = new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`, 'i');

/** Whether a text is an address, without brackets and zone. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/** Why a certificate can't be made for a name, or undefined where it can. */
export function refuseName(text: string): string | undefined {
  const isName = namePattern.test(text) && text.length <= 253 && !/^[\d.]+$/.test(text);
  return isName || isAddress(text)
    ? undefined
    : `expected a host name, *.NAME or an IP address, without scheme and port, got "${text}"`;
}

/** All names of a certificate: the usual ones, that of `--host`, those of `--tls-name`. */
export function toNames(host: string, more: readonly string[]): readonly string[] {
  const own = allAddresses.includes(host) || refuseName(host) !== undefined ? [] : [host];
  return [...new Set([...usualNames, ...own, ...more].map((name) => name.toLowerCase()))];
}
