/** API keys: which projects and region each is good for. Holds hashes only; a key is never kept, shown or logged. */
import { hash } from 'node:crypto';
import type { Problem } from '../base/problem.ts';

/** The regions, each with a host of its own: `au.localhost`. */
export const regions = ['au', 'eu', 'us'] as const;
type Region = (typeof regions)[number];

/** The key that works for every project where none was given by option. It is public, and so no secret. */
export const defaultKey = 'sandbox-key';

interface Grant {
  readonly region: Region | undefined;
  /** undefined: every project. */
  readonly projects: ReadonlySet<string> | undefined;
}

/** The keys that were issued. */
export interface Keys {
  /** Why a request for this project may not go on, or undefined where it may. `host` is the request's. */
  check(
    headers: Readonly<Record<string, string | string[] | undefined>>,
    host: string,
    project: string,
  ): Problem | undefined;
  /** Whether a text is one of the keys, so that it is left out of what is recorded. */
  isKey(text: string): boolean;
}

/** What a `--api-key` looks like, for messages. */
const keyHelp = 'KEY, KEY@REGION, KEY=PROJECT,… or KEY@REGION=PROJECT,… with a region of au, eu, us';

/** Reads `KEY[@REGION][=PROJECT,…]`, or says what is wrong with it without repeating it. */
export function parseKey(text: string): { key: string; region?: Region; projects?: readonly string[] } | string {
  const [, key = '', region, projects] = /^([^=]*?)(?:@([^@=]*))?(?:=(.*))?$/s.exec(text) ?? [];
  if (!/^[\x21-\x7e]+$/.test(key)) return `expected ${keyHelp}; the key must be visible ASCII characters`;
  if (region !== undefined && !isRegion(region)) return `expected ${keyHelp}; got region "${region}"`;
  const named = projects?.split(',').filter((name) => name !== '');
  if (named?.length === 0) return `expected ${keyHelp}; no project follows the "="`;
  return { key, ...(region !== undefined && { region }), ...(named && { projects: named }) };
}

/** The keys of these `KEY[@REGION][=PROJECT,…]` texts, all of them valid. */
export function createKeys(texts: readonly string[]): Keys {
  const grants = new Map<string, Grant[]>();
  for (const text of texts) {
    const parsed = parseKey(text);
    if (typeof parsed === 'string') throw new Error(parsed);
    const grant = { region: parsed.region, projects: parsed.projects && new Set(parsed.projects) };
    const digest = toDigest(parsed.key);
    grants.set(digest, [...(grants.get(digest) ?? []), grant]);
  }
  return {
    check: (headers, host, project) => {
      const given = headers['apikey'];
      if (typeof given !== 'string' || given === '') return toMissing(headers, grants);
      const granted = grants.get(toDigest(given));
      if (!granted) return refused('unknownKey', 'this API key was never issued');
      return checkGrants(granted, toRegion(host), project);
    },
    isKey: (text) => grants.has(toDigest(text)),
  };
}

function checkGrants(granted: readonly Grant[], region: Region | undefined, project: string): Problem | undefined {
  const here = granted.filter((grant) => !grant.region || !region || grant.region === region);
  if (here.length === 0) {
    const own = granted.map((grant) => grant.region).join(', ');
    return refused('foreignKey', `this API key is for region ${own}; the request was made to ${String(region)}`);
  }
  if (here.some((grant) => !grant.projects || grant.projects.has(project))) return undefined;
  return refused('foreignKey', 'this API key is for another project');
}

/** Where people put keys that belong into `apikey`. */
const otherHeaders = ['authorization', 'x-api-key', 'api-key', 'x-apikey', 'api_key', 'x-auth-token'];

function toMissing(headers: Readonly<Record<string, unknown>>, grants: ReadonlyMap<string, unknown>): Problem {
  const elsewhere = otherHeaders.find((name) => headers[name] !== undefined);
  const value = elsewhere && String(headers[elsewhere]).replace(/^\S+ +/, '');
  const known = value !== undefined && grants.has(toDigest(value)) ? ' a valid key' : ' something';
  return refused(
    'missingKey',
    elsewhere === undefined
      ? 'the API key is missing: send it in the header `apikey`'
      : `the API key is missing:${known} came in the header \`${elsewhere}\`, send it as \`apikey\``,
  );
}

function refused(kind: 'missingKey' | 'unknownKey' | 'foreignKey', message: string): Problem {
  return { kind, message, errors: [{ path: 'header:apikey', message }] };
}

/** The region is the first label of the host: `au.localhost`; any other name stands for all of them. */
function toRegion(host: string): Region | undefined {
  const label = host.slice(0, 2).toLowerCase();
  return host[2] === '.' && isRegion(label) ? label : undefined;
}

function isRegion(text: string): text is Region {
  return (regions as readonly string[]).includes(text);
}

function toDigest(key: string): string {
  return hash('sha256', key, 'base64');
}
