/** Decides which callback URLs are allowed, without sending anything or resolving names. */

import ipaddr from 'ipaddr.js';
import { isUrl } from '../lib/url.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/** One item of the allow list. Without a port, it allows every port. */
type AllowItem = { readonly port: number | undefined } & (
  | { readonly kind: 'name' | 'suffix'; readonly name: string }
  | { readonly kind: 'range'; readonly range: Range }
);

/** Allowed callback hosts. If empty, all hosts that are not forbidden are allowed. */
export type AllowList = readonly AllowItem[];

export type AllowListResult =
  | { readonly ok: true; readonly allow: AllowList }
  | { readonly ok: false; readonly message: string };

const forbiddenNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
]);

const forbiddenRanges: readonly Range[] = [
  '0.0.0.0/8', // unspecified: reaches this very machine
  '100.100.100.200/32', // Alibaba's metadata
  '168.63.129.16/32', // Azure's host agent
  '169.254.0.0/16', // link-local, and most metadata
  '192.0.0.0/24', // protocol assignments, and Oracle's metadata (.192)
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/128', // unspecified
  '100::/64', // discard
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
  'fd00:42::42/128', // Scaleway's metadata
  'fd00:c1::a9fe:a9fe/128', // Oracle's metadata
  'fd00:ec2::/32', // Amazon's metadata (::254), pod identity, name servers
  'fd20:ce::254/128', // Google's metadata
  'fe80::/10', // link-local
  'ff00::/8', // multicast
].map((cidr) => ipaddr.parseCIDR(cidr));

/**
 * Whether callbacks to this address are forbidden: metadata, link-local, unspecified, multicast, broadcast and reserved
 * addresses, also inside an IPv6 address. Loopback and private addresses are allowed. A text that is no address is
 * forbidden.
 */
export function isForbiddenAddress(ip: string): boolean {
  return !ipaddr.isValid(ip) || isForbidden(ipaddr.process(ip));
}

/** Returns why this URL may not be called, as a sentence without its full stop, or undefined if it may. */
export function checkCallbackUrl(url: string, allow: AllowList): string | undefined {
  // Reject URLs that the parser would correct (`http:host`, `http:\\host`), because they are probably mistakes.
  if (!/^https?:\/\/[^/\\]/i.test(url) || !isUrl(url)) {
    return 'a callback URL must be an absolute http or https URL, such as http://localhost:9000/callbacks';
  }
  const parsed = new URL(url);
  if (parsed.username !== '' || parsed.password !== '') return 'a callback URL must not contain a user or password';
  const host = toHost(parsed.hostname);
  if (isForbiddenHost(host)) return toForbiddenMessage(host);
  const port = parsed.port === '' ? (parsed.protocol === 'https:' ? 443 : 80) : Number(parsed.port);
  if (allow.length === 0 || allow.some((item) => isAllowed(item, host, port))) return undefined;
  return `${parsed.host} is not allowed by --callback-allow`;
}

/**
 * Parses an allow list: host names, `*.suffix` (subdomains, not the domain itself), addresses and CIDR ranges. `:port`
 * restricts an item to one port; IPv6 addresses with a port need brackets. Ranges apply to URLs with an address; a host
 * name must be allowed by name. The message lists every invalid item.
 */
export function parseAllowList(items: readonly string[]): AllowListResult {
  const allow: AllowItem[] = [];
  const problems: string[] = [];
  for (const item of items) {
    const parsed = parseItem(item.trim());
    if (typeof parsed === 'string') problems.push(parsed);
    else allow.push(parsed);
  }
  return problems.length === 0 ? { ok: true, allow } : { ok: false, message: problems.join('; ') };
}

/** Parses one item. Returns a message if it is invalid. */
function parseItem(item: string): AllowItem | string {
  const [target, portText] = splitPort(item);
  const port = portText === undefined ? undefined : Number(portText);
  if (port !== undefined && (port < 1 || port > 65_535)) return `'${item}': the port must be a number from 1 to 65535`;
  const range = parseRange(target);
  if (range) return { kind: 'range', range, port };
  const isSuffix = target.startsWith('*.');
  const host = parseHost(isSuffix ? target.slice(2) : target);
  if (host === undefined || (isSuffix && ipaddr.isValid(host))) {
    return `'${item}': expected a host name, *.suffix, IP address or CIDR range, optionally with :port`;
  }
  if (isSuffix) return { kind: 'suffix', name: `.${host}`, port };
  if (isForbiddenHost(host)) return toForbiddenMessage(host);
  if (!ipaddr.isValid(host)) return { kind: 'name', name: host, port };
  const address = ipaddr.process(host);
  return { kind: 'range', range: [address, address.kind() === 'ipv4' ? 32 : 128], port };
}

/** Splits an item into host and port digits. An IPv6 address without brackets has no port. */
function splitPort(item: string): readonly [string, string | undefined] {
  const match = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(\d{1,6}))?$/.exec(item);
  return match ? [match[1] ?? match[2] ?? '', match[3]] : [item, undefined];
}

function parseRange(text: string): Range | undefined {
  if (!ipaddr.isValidCIDR(text)) return undefined;
  const [base, bits] = ipaddr.parseCIDR(text);
  // An IPv4 range in IPv6 notation: addresses of URLs are compared as IPv4.
  return base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96
    ? [base.toIPv4Address(), bits - 96]
    : [base, bits];
}

/** Returns the host as a URL spells it, or undefined if it is invalid. */
function parseHost(text: string): string | undefined {
  const url = `http://${text.includes(':') ? `[${text}]` : text}/`;
  if (!/^[^\s/?#@\\*%]+$/.test(text) || !isUrl(url)) return undefined;
  const host = toHost(new URL(url).hostname);
  return host === '' ? undefined : host;
}

/** Removes the brackets of IPv6 and the trailing dot from a URL's host. */
function toHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '');
}

function isAllowed(item: AllowItem, host: string, port: number): boolean {
  if (item.port !== undefined && item.port !== port) return false;
  if (item.kind === 'range') return ipaddr.isValid(host) && isInRange(ipaddr.process(host), item.range);
  return item.kind === 'name' ? host === item.name : host.endsWith(item.name);
}

function isForbiddenHost(host: string): boolean {
  return ipaddr.isValid(host) ? isForbiddenAddress(host) : forbiddenNames.has(host);
}

function toForbiddenMessage(host: string): string {
  return ipaddr.isValid(host)
    ? `${host} is forbidden for callbacks: it is, or contains, a metadata, link-local, multicast or reserved address`
    : `${host} is forbidden for callbacks: it is the name of a metadata service`;
}

function isForbidden(address: Address): boolean {
  if (forbiddenRanges.some((range) => isInRange(address, range))) return true;
  return address instanceof ipaddr.IPv6 && embeddedAddresses(address.parts).some(isForbidden);
}

function isInRange(address: Address, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/** Returns the IPv4 addresses that a gateway or tunnel would extract from this IPv6 address. */
function embeddedAddresses(parts: readonly number[]): readonly ipaddr.IPv4[] {
  for (const extract of embeddings) {
    const found = extract(parts);
    if (found) return found;
  }
  return [];
}

/** Extracts the addresses of one embedding from the groups of an IPv6 address; undefined for other addresses. */
type Embedding = (parts: readonly number[]) => readonly ipaddr.IPv4[] | undefined;

const embeddings: readonly Embedding[] = [fromZeroPrefix, fromNat64, from6to4, fromTeredo, fromIsatap];

/** IPv4-compatible, IPv4-mapped, and IPv4-translated (RFC 2765). */
function fromZeroPrefix([a, b, c, d, e, f, g = 0, h = 0]: readonly number[]): readonly ipaddr.IPv4[] | undefined {
  if (a || b || c || d) return undefined;
  const isCompatible = !e && !f && (g !== 0 || h !== 1); // ::1 is loopback, without an embedded address
  const isMapped = !e && f === 0xffff;
  const isTranslated = e === 0xffff && !f;
  return isCompatible || isMapped || isTranslated ? [toIPv4(g, h)] : undefined;
}

/** NAT64 (RFC 6052 and 8215). */
function fromNat64([a, b, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0]: readonly number[]) {
  if (a !== 0x64 || b !== 0xff9b || c > 1) return undefined;
  const last = toIPv4(g, h);
  if (!d && !e && !f) return [last];
  const middle = toIPv4(d, ((e & 0xff) << 8) | (f >> 8)); // with a prefix of 48 bits, around a byte of zeros
  return g === 0 && h === 0 ? [middle] : [middle, last];
}

/** 6to4 (RFC 3056). */
function from6to4([a, b = 0, c = 0]: readonly number[]) {
  return a === 0x2002 ? [toIPv4(b, c)] : undefined;
}

/** Teredo (RFC 4380): the server, and the client in inverted bits. */
function fromTeredo([a, b, c = 0, d = 0, , , g = 0, h = 0]: readonly number[]) {
  return a === 0x2001 && b === 0 ? [toIPv4(c, d), toIPv4(g ^ 0xffff, h ^ 0xffff)] : undefined;
}

/** ISATAP (RFC 5214). */
function fromIsatap([, , , , e = 0, f, g = 0, h = 0]: readonly number[]) {
  return (e & 0xfdff) === 0 && f === 0x5efe ? [toIPv4(g, h)] : undefined;
}

function toIPv4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
