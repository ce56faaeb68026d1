/** Defines the limits of a project, and the problems for requests that exceed them. */
import type { Problem } from '../lib/problem.ts';

export const limitNames = [
  'records',
  'bytes',
  'pending',
  'scenarios',
  'waiting',
  'followers',
  'requestsPerSecond',
] as const;
export type LimitName = (typeof limitNames)[number];

/** Maximum share of one API key in what all keys use together, so that it can't take the place of all others. */
export const keyShare = 0.5;

/** The limits of every project. No limit if undefined. */
export type ProjectLimits = { readonly [Name in LimitName]?: number | undefined };

/** Limits of an API key. They replace those of the profile for requests with that key. */
export interface KeyLimits extends ProjectLimits {
  /** Number of existing projects beyond which the key creates no more. */
  readonly projects?: number | undefined;
}

/** A limit that a request exceeds, and by how much. */
export interface ExceededLimit {
  readonly name: LimitName;
  readonly limit: number;
  /** Undefined if the added value replaces everything held. */
  readonly held: number | undefined;
  readonly added: number;
  /** Whether it is a limit of the request's API key. Default: one of the profile. */
  readonly isOfKey?: boolean;
}

const units: Readonly<Record<LimitName, string>> = {
  records: 'records',
  bytes: 'bytes',
  pending: 'pending instructions and callbacks',
  scenarios: 'rules',
  waiting: 'waiting requests',
  followers: 'event streams',
  requestsPerSecond: 'requests in this second',
};

/** Remedies other than a higher limit, for messages. */
const remedies: Readonly<Record<LimitName, string>> = {
  records: 'Reset the project',
  bytes: 'Reset the project',
  pending: 'Wait until some are complete, or advance the clock',
  scenarios: 'Activate fewer rules',
  waiting: 'Wait until some get a response',
  followers: 'Close some event streams',
  requestsPerSecond: 'Send fewer requests',
};

const fullLimits: ReadonlySet<LimitName> = new Set(['records', 'bytes', 'pending']);

/** Creates the problem for a request that exceeds a limit of its project. */
export function toLimitExceeded({ name, limit, held, added, isOfKey }: ExceededLimit): Problem {
  const usage =
    held === undefined
      ? `this request has ${toText(added)} ${units[name]}`
      : `the project holds ${toText(held)} ${units[name]} and this request adds ${toText(added)}`;
  const remedy = held === undefined ? `Send fewer ${units[name]}` : remedies[name];
  const message = isOfKey
    ? `"limits.${name}" of this API key is ${toText(limit)}: ${usage}. ${remedy}, or ask the operator for a key with a higher limit.`
    : `"limits.project.${name}" is ${toText(limit)}: ${usage}. ${remedy}, or raise the limit in the profile.`;
  if (fullLimits.has(name)) return { kind: 'full', message };
  return { kind: 'limited', message, headers: { 'retry-after': '1' } };
}

/** Creates the problem for a request that exceeds a limit of the whole server. */
export function toServerBusy(name: 'waiting' | 'followers', max: number, whose = ''): Problem {
  const message = `the server accepts at most ${toText(max)} ${units[name]}${whose}. ${remedies[name]}.`;
  return { kind: 'limited', message, headers: { 'retry-after': '1' } };
}

/** Creates the problem for a request that needs more memory than the server has left. */
export function toMemoryFull(exceeded: {
  readonly limit: number;
  readonly added: number;
  /** Whether V8's heap is nearly full, independent of the counted bytes. */
  readonly isHeapFull: boolean;
  /** Whether the projects of one API key would have more than its share. */
  readonly isShare?: boolean;
}): Problem {
  const { limit, added, isHeapFull, isShare } = exceeded;
  if (isShare) {
    const most = `at most ${toText(limit * keyShare)} bytes, half of --memory, are for the projects of one API key`;
    const message = `${most}, and this request adds ${toText(added)} to them. Reset projects that are no longer needed.`;
    return { kind: 'full', message };
  }
  // Not how much is in use: that would tell the owner of one project about all others.
  const why = isHeapFull
    ? 'the heap of Node.js is nearly full'
    : `the ${toText(added)} bytes that this request adds are more than is left`;
  const message = `--memory is ${toText(limit)} bytes: ${why}. Reset projects that are no longer needed, or start the server with a larger --memory.`;
  return { kind: 'full', message };
}

function toText(count: number): string {
  return Math.ceil(count).toLocaleString('en');
}

/** A window that began with its first request, in milliseconds of the project's clock. */
export interface RateWindow {
  readonly from: number;
  readonly used: number;
}

export interface MaxRate {
  readonly requests: number;
  readonly per: string;
  readonly perMs: number;
}

/** Counts a request. Returns the window, and the seconds to wait if the request exceeds the rate. */
export function countInWindow(
  window: RateWindow | undefined,
  { requests, perMs }: MaxRate,
  now: number,
): { readonly window: RateWindow; readonly retryAfter: number | undefined } {
  if (!window || now >= window.from + perMs) return { window: { from: now, used: 1 }, retryAfter: undefined };
  if (window.used >= requests) return { window, retryAfter: Math.ceil((window.from + perMs - now) / 1000) };
  return { window: { from: window.from, used: window.used + 1 }, retryAfter: undefined };
}
