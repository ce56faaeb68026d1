/** Waits for items of a list by long polling: the sandbox responds when enough items match. */
import { type Query, toQuery } from '../../client/client.ts';
import { guessDurations } from '../../diagnostics/duration-guess.ts';
import { durationHelp, parseDuration } from '../../lib/duration.ts';
import { nearest } from '../../lib/nearest.ts';
import type { WallClock } from '../../lib/time.ts';
import type { ControlClient } from '../control-client.ts';
import { mistakeAt, show } from '../methods.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { Duration } from '../types.ts';

/** How many items to wait for, and for how long. */
export interface Wait {
  /** Number of items that must match. Default: 1, maximum: 1000. Existing items count. */
  readonly count?: number;
  /** Maximum time to wait, in real time. Default: 5 s. */
  readonly timeout?: Duration;
}

const defaultTimeout = '5s';
/** Maximum number of items in a page. */
const maxCount = 1000;
/** Maximum duration of one request: proxies close connections that are idle for longer. */
const maxAskMs = 30_000;

/** Checks a `Wait` and adds its defaults. @throws SandboxError if the count or the timeout is not valid */
export function checkWait({ count = 1, timeout = defaultTimeout }: Wait): { count: number; timeoutMs: number } {
  if (!Number.isInteger(count) || count < 1 || count > maxCount) {
    throw mistakeAt('count', `expected an integer from 1 to ${maxCount}, got ${show(count)}`);
  }
  const text = checkDuration('timeout', timeout, `milliseconds or ${durationHelp}`);
  return { count, timeoutMs: parseDuration(text) ?? 0 };
}

/**
 * Returns a duration as the control API expects it. `expected` describes it in the error, and `others` are words that are
 * expected too.
 * @throws SandboxError
 */
export function checkDuration(
  name: string,
  duration: Duration,
  expected: string,
  others: readonly string[] = [],
): string {
  const text = typeof duration === 'number' ? `${duration}ms` : typeof duration === 'string' ? duration : '';
  if (parseDuration(text) !== undefined) return text;
  const [guess = nearest(text, others)] = guessDurations(text);
  const suggestion = guess === undefined ? '' : `. Did you mean "${guess}"?`;
  throw mistakeAt(name, `expected ${expected}, got ${show(duration)}${suggestion}`);
}

/** The items to wait for. */
export interface WaitRequest {
  readonly client: ControlClient;
  readonly wall: WallClock;
  /** Path of the list. */
  readonly path: string;
  /** Only matching items count. */
  readonly filter: Query;
  readonly wait: Wait;
  /** Describes the missing items, and what the project received instead. */
  explain(count: number): Promise<string>;
}

interface WaitPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly satisfied: boolean;
}

/** Waits until enough items match, then returns all items that match. @throws SandboxError after the timeout */
export async function waitForItems<Item>(request: WaitRequest): Promise<readonly Item[]> {
  const { client, wall, path, filter, wait } = request;
  const { count, timeoutMs } = checkWait(wait);
  const endMs = wall.elapsed() + timeoutMs;
  for (;;) {
    const leftMs = Math.max(0, Math.ceil(endMs - wall.elapsed()));
    const askMs = Math.min(leftMs, maxAskMs);
    const query = toQuery({ ...filter, limit: maxCount, await: `${askMs}ms`, min: count });
    const { items, next, satisfied } = await client.ask<WaitPage<Item>>('GET', path + query);
    if (satisfied) return next === undefined ? items : client.list(path, filter);
    // A reset of the project ends the request early, so wait again for the remaining time.
    if (wall.elapsed() >= endMs) break;
  }
  throw new SandboxError(`waited ${toWords(timeoutMs)} for ${await request.explain(count)}`, { code: 'timeout' });
}

/** Formats a duration for messages: `5 s`, `250 ms`. */
export function toWords(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toFixed(1))} s` : `${ms} ms`;
}
