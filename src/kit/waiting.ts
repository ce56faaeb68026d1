/** Waits for what is listed: the sandbox answers once there is enough, so nothing is asked for again and again. */
import { durationHelp, parseDuration } from '../base/duration.ts';
import { guessDurations } from '../base/duration-guess.ts';
import type { WallClock } from '../base/time.ts';
import type { ControlClient, Query } from './control-client.ts';
import { createSandboxError } from './sandbox-error.ts';
import type { Duration } from './types.ts';

/** How much to wait for, and how long. */
export interface Wait {
  /** How many must match; usually 1, at most 1000. What is there already counts. */
  readonly count?: number;
  /** How long to wait in real time; usually 5 s. */
  readonly timeout?: Duration;
}

/** A wait, checked. */
export interface CheckedWait {
  readonly count: number;
  readonly timeoutMs: number;
}

const usualTimeout = '5s';
const mostCount = 1000;
/** No single answer is waited for longer: whoever stands between would cut the connection. */
const longestAskMs = 30_000;

/** @throws SandboxError where a count or a timeout is none */
export function checkWait({ count = 1, timeout = usualTimeout }: Wait): CheckedWait {
  if (!Number.isInteger(count) || count < 1 || count > mostCount) {
    throw createSandboxError(`count: expected an integer from 1 to ${mostCount}, got ${JSON.stringify(count)}`);
  }
  const timeoutMs = typeof timeout === 'number' ? timeout : parseDuration(timeout);
  if (timeoutMs !== undefined && Number.isFinite(timeoutMs) && timeoutMs >= 0) return { count, timeoutMs };
  const [guess] = typeof timeout === 'string' ? guessDurations(timeout) : [];
  const meant = guess === undefined ? '' : `, did you mean ${guess}?`;
  throw createSandboxError(
    `timeout: expected milliseconds or ${durationHelp}, got ${JSON.stringify(timeout) ?? String(timeout)}${meant}`,
  );
}

/** A duration as the control API takes it. */
export function toDurationText(duration: Duration): string {
  return typeof duration === 'number' ? `${duration}ms` : duration;
}

/** What is waited for. */
export interface WaitRequest {
  readonly client: ControlClient;
  readonly wall: WallClock;
  /** The list. */
  readonly path: string;
  /** What of it counts. */
  readonly filter: Query;
  readonly wait: Wait;
  /** What the time was waited for in vain, and what came instead. */
  explain(count: number): Promise<string>;
}

/** All items that match, once there are enough. @throws SandboxError where the time is over before */
export async function waitForItems<Item>(request: WaitRequest): Promise<readonly Item[]> {
  const { client, wall, path, filter, wait } = request;
  const { count, timeoutMs } = checkWait(wait);
  const endMs = wall.elapsed() + timeoutMs;
  for (;;) {
    const leftMs = Math.max(0, Math.ceil(endMs - wall.elapsed()));
    const askMs = Math.min(leftMs, longestAskMs);
    const page = await client.page<Item>(path, { ...filter, await: `${askMs}ms`, min: count });
    if (page.satisfied) return client.follow(path, filter, page);
    // A reset ends a wait of the sandbox early; this one goes on.
    if (wall.elapsed() >= endMs) break;
  }
  throw createSandboxError(`waited ${toWords(timeoutMs)} for ${await request.explain(count)}`);
}

/** A length of time for people: `5 s`, `250 ms`. */
export function toWords(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toFixed(1))} s` : `${ms} ms`;
}
