/** Formats times, states and ids for people. All timestamps are UTC. */
import { formatSpan } from '../lib/format.ts';
import type { components } from '../openapi/control.gen.ts';

type Schemas = components['schemas'];

/** Formats a timestamp in seconds, with milliseconds if they are not zero. */
export function instant(timestamp: string): string {
  return timestamp.replace('T', ' ').replace(/(\.000)?Z$/, '');
}

/** Writes a timestamp with an offset in UTC. What is none stays as it is. */
export function toUtc(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

/** Formats a timestamp in UTC and in the zone of the browser. */
export function inBothZones(timestamp: string): string {
  const [, month, day, , time, zone] = String(new Date(timestamp)).split(' ');
  return `${instant(timestamp)} UTC; here ${month} ${day}, ${time} ${zone}`;
}

/** Formats a time of a record in seconds. A date, or a time without a zone, stays as it is. */
export function recordTime(text: string): string {
  return instant(text).slice(0, 19);
}

/** Formats a GeoJSON position with a precision of about one meter: latitude, then longitude. */
export function placeText([lng = 0, lat = 0]: readonly number[]): string {
  return `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
}

/** Formats a short duration, with one decimal if it is below 10 ms. */
export function latency(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

/** Units of the API, with the other names that are understood. */
const units = [
  ['ms', /^(ms|milliseconds?)$/],
  ['s', /^(s|secs?|seconds?)$/],
  ['m', /^(m|mins?|minutes?)$/],
  ['h', /^(h|hrs?|hours?)$/],
  ['d', /^(d|days?)$/],
] as const;

/** Returns a duration as people write it, such as `10 minutes`, in the syntax of the API; undefined if it is none. */
export function toDuration(text: string): string | undefined {
  const [, number = '', name = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\.?\s*$/i.exec(text) ?? [];
  const unit = units.find(([, names]) => names.test(name.toLowerCase()));
  return unit && `${number}${unit[0]}`;
}

/** Formats the time left until a timestamp. */
export function untilDue(dueAt: string, nowMs: number): string {
  const ms = Date.parse(dueAt) - nowMs;
  if (ms <= 0) return 'now';
  return ms < 1000 ? 'in less than 1 s' : `in ${formatSpan(ms)}`;
}

/** The colors of states and outcomes: class names of the style sheets. */
export type Kind = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

/** Returns the color of a status code, which is 0 if no response was sent. */
export function statusKind(status: number): Kind {
  if (status === 0 || status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

type CallbackState = Schemas['CallbackState'];

export const stateKinds: Readonly<Record<CallbackState, Kind>> = {
  scheduled: 'quiet',
  delivered: 'good',
  failed: 'bad',
  inbox: 'quiet',
  dropped: 'warn',
};

/** What came of an attempt. */
export interface Attempted {
  readonly status?: number | undefined;
  readonly error?: string | undefined;
}

/** Returns the color of an attempt: of a status, of no response, or of the inbox. */
export function attemptKind({ status, error }: Attempted): Kind {
  if (status !== undefined) return statusKind(status);
  return error === undefined ? 'quiet' : 'bad';
}

export function attemptText({ status, error }: Attempted): string {
  if (status !== undefined) return String(status);
  return error === undefined ? 'inbox' : 'no response';
}

/** Characters that nobody sees, or that change the order of others. Spaces between others stay: style sheets keep them. */
const invisible = /(?![\ufe00-\ufe0f])[\p{Cc}\p{DI}\p{Zl}\p{Zp}]/gu;

/** Writes invisible characters as their code, as JSON does. */
export function visible(text: string): string {
  const codeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text.replace(/[^\s\u2800]/.test(text) ? invisible : /./gsu, (one) => one.replace(/./gs, codeOf));
}

/** Writes an id in a row or a sentence: the end of a long one tells it from others. */
export function shortId(id: string): string {
  const text = visible(id);
  return text.length <= maxId ? text : `${text.slice(0, maxId / 2)}…${text.slice(1 - maxId / 2)}`;
}

/** Maximum length of an id in characters, which is that of a UUID. */
const maxId = 36;

/** Writes a value as JSON of at most `max` characters. */
export function shortJson(value: unknown, max: number): string {
  const text = JSON.stringify(value);
  return visible(text.length > max ? `${text.slice(0, max)}…` : text);
}

/** Parses JSON; undefined if the text is none. */
export function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
