/** API keys with their region and projects. Stores hashes only; a key is never stored, shown or logged. */
import { hash } from 'node:crypto';
import type { Problem } from '../lib/problem.ts';

/** Regions. Each has its own host, such as `au.localhost`. */
export const regions = ['au', 'eu', 'us'] as const;
type Region = (typeof regions)[number];

/** Default key, valid for every project if no `--api-key` is given. It is public and not a secret. */
export const defaultKey = 'sandbox-key';

interface Grant {
  readonly region: Region | undefined;
  /** undefined means every project. */
  readonly projects: ReadonlySet<string> | undefined;
}

type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The valid keys. */
export interface Keys {
  /**
   * Returns why a request for this project is rejected, or undefined. `host` is the host of the request. Without a
   * project, any project of the key will do.
   */
  check(headers: RequestHeaders, host: string, project: string | undefined): Problem | undefined;
  /**
   * Returns the problem of a missing or unknown key; otherwise a function that does the rest of `check` when the project
   * is known.
   */
  checkKey(headers: RequestHeaders): Problem | ((host: string, project: string | undefined) => Problem | undefined);
  /** Whether a text is a valid key. Recordings omit valid keys. */
  isKey(text: string): boolean;
}

/** Syntax of `--api-key`, for messages. */
const keyHelp = 'KEY, KEY@REGION, KEY=PROJECT,… or KEY@REGION=PROJECT,… where REGION is au, eu or us';

/** Parses `KEY[@REGION][=PROJECT,…]`, or returns an error message that does not contain the key. */
export function parseKey(text: string): { key: string; region?: Region; projects?: readonly string[] } | string {
  const [, key = '', region, projects] = /^([^=]*?)(?:@([^@=]*))?(?:=(.*))?$/s.exec(text) ?? [];
  if (!/^[\x21-\x7e]+$/.test(key)) return `expected ${keyHelp}; the key must be visible ASCII characters`;
  if (region !== undefined && !isRegion(region)) return `expected ${keyHelp}; got region "${region}"`;
  const named = projects?.split(',').filter((name) => name !== '');
  if (named?.length === 0) return `expected ${keyHelp}; got no project after the "="`;
  return { key, ...(region !== undefined && { region }), ...(named && { projects: named }) };
}

/**
 * Creates the keys of these `KEY[@REGION][=PROJECT,…]` texts.
 * @throws {Error} if a text is invalid
 */
export function createKeys(texts: readonly string[]): Keys {
  const grants = new Map<string, Grant[]>();
  // A hash takes longer than all other checks of a header.
  const lengths = new Set<number>();
  for (const text of texts) {
    const parsed = parseKey(text);
    if (typeof parsed === 'string') throw new Error(parsed);
    const grant = { region: parsed.region, projects: parsed.projects && new Set(parsed.projects) };
    const digest = toDigest(parsed.key);
    lengths.add(parsed.key.length);
    grants.set(digest, [...(grants.get(digest) ?? []), grant]);
  }

  function find(headers: RequestHeaders): readonly Grant[] | Problem {
    const given = headers['apikey'];
    if (typeof given !== 'string' || given === '') return toMissingKeyProblem(headers, grants);
    return grants.get(toDigest(given)) ?? rejected('unknownKey', 'this API key was never issued');
  }

  return {
    check: (headers, host, project) => {
      const granted = find(headers);
      return 'kind' in granted ? granted : checkGrants(granted, toRegion(host), project);
    },
    checkKey: (headers) => {
      const granted = find(headers);
      return 'kind' in granted ? granted : (host, project) => checkGrants(granted, toRegion(host), project);
    },
    isKey: (text) => lengths.has(text.length) && grants.has(toDigest(text)),
  };
}

function checkGrants(
  granted: readonly Grant[],
  region: Region | undefined,
  project: string | undefined,
): Problem | undefined {
  const inRegion = granted.filter((grant) => !grant.region || !region || grant.region === region);
  if (inRegion.length === 0) {
    const regionNames = granted.map((grant) => grant.region).join(', ');
    return rejected(
      'foreignKey',
      `this API key is for region ${regionNames}; the request was made to ${String(region)}`,
    );
  }
  if (project === undefined || inRegion.some(({ projects }) => !projects || projects.has(project))) return undefined;
  return rejected('foreignKey', 'this API key is for another project');
}

/** Headers in which clients send the key by mistake; the correct one is `apikey`. */
const otherHeaders = ['authorization', 'x-api-key', 'api-key', 'x-apikey', 'api_key', 'x-auth-token'];

function toMissingKeyProblem(
  headers: Readonly<Record<string, unknown>>,
  grants: ReadonlyMap<string, unknown>,
): Problem {
  const elsewhere = otherHeaders.find((name) => headers[name] !== undefined);
  const value = elsewhere && String(headers[elsewhere]).replace(/^\S+ +/, '');
  const content = value !== undefined && grants.has(toDigest(value)) ? 'a valid key' : 'a value';
  return rejected(
    'missingKey',
    elsewhere === undefined
      ? 'the API key is missing: send it in the header `apikey`'
      : `the API key is missing: the header \`${elsewhere}\` has ${content}; send the key in the header \`apikey\``,
  );
}

function rejected(kind: 'missingKey' | 'unknownKey' | 'foreignKey', message: string): Problem {
  return { kind, message, errors: [{ path: 'header:apikey', message }] };
}

/** Returns the region in the first label of the host, as in `au.localhost`. Any other host serves all regions. */
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
