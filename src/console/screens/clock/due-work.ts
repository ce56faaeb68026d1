/** The work that is due, as marks on an axis of time. */
import type { Schemas } from '../../data/schemas.ts';
import { counted } from '../../parts/counted.ts';
import { span } from '../../parts/times.ts';

export const workKinds = ['command', 'callback', 'retry'] as const;
export type WorkKind = (typeof workKinds)[number];

export interface DueWork {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: WorkKind;
  readonly text: string;
  readonly pending: Schemas['PendingThing'];
}

/** `attempted` has the callbacks with an earlier attempt: their next one is a retry. */
export function toDueWork(
  pending: readonly Schemas['PendingThing'][],
  attempted: ReadonlySet<string>,
): readonly DueWork[] {
  return pending.map((one) => {
    const isRetry = one.callbackId !== undefined && attempted.has(one.callbackId);
    const kind = one.kind === 'instruction' ? 'command' : isRetry ? 'retry' : 'callback';
    return { at: Date.parse(one.dueAt), kind, text: describe(one, isRetry), pending: one };
  });
}

function describe({ kind, operation = '', callbackId = '', entries = 0 }: Schemas['PendingThing'], isRetry: boolean) {
  switch (kind) {
    case 'instruction':
      return `Process ${counted(entries, 'entry', 'entries')} of ${operation}`;
    case 'attempt':
      return `${isRetry ? 'Retry' : 'Send'} callback ${callbackId}`;
    case 'release':
      return 'Send the callbacks that a scenario holds back';
    default:
      return kind satisfies never;
  }
}

/** Counts the work: `2 commands, 1 retry`. */
export function countWork(work: readonly DueWork[]): string {
  const nouns = { command: ['command', 'commands'], callback: ['callback', 'callbacks'], retry: ['retry', 'retries'] };
  const parts = workKinds.flatMap((kind) => {
    const count = work.filter((one) => one.kind === kind).length;
    const [one = '', many = ''] = nouns[kind];
    return count === 0 ? [] : [counted(count, one, many)];
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

/** Work of one kind that is due at about the same time, as one mark. */
export interface Mark {
  readonly kind: WorkKind;
  /** When the last of it is due. */
  readonly at: number;
  /** Position on the axis, from 0 to 1. */
  readonly share: number;
  readonly work: readonly DueWork[];
}

/** Number of positions on the axis that differ visibly. */
const positions = 60;

/** Returns the marks from `now` to the end of the axis. Work that is late is at its start. */
export function toMarks(work: readonly DueWork[], now: number, length: number): readonly Mark[] {
  const marks = new Map<string, DueWork[]>();
  for (const one of work) {
    const share = Math.max(0, (one.at - now) / length);
    if (share > 1) continue;
    const key = `${one.kind} ${Math.round(share * positions)}`;
    const group = marks.get(key) ?? [];
    group.push(one);
    marks.set(key, group);
  }
  return [...marks.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const at = Math.max(...group.map((one) => one.at));
    return [{ kind: first.kind, at, share: Math.max(0, Math.min(1, (first.at - now) / length)), work: group }];
  });
}

export interface Period {
  readonly name: string;
  readonly ms: number;
  /** Distance of two ticks. */
  readonly tickMs: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The zoom levels of the axis. */
export const periods: readonly Period[] = [
  { name: '1 min', ms: minute, tickMs: 10 * second },
  { name: '10 min', ms: 10 * minute, tickMs: 2 * minute },
  { name: '1 h', ms: hour, tickMs: 10 * minute },
  { name: '6 h', ms: 6 * hour, tickMs: hour },
  { name: '1 d', ms: day, tickMs: 4 * hour },
  { name: '7 d', ms: 7 * day, tickMs: day },
];

const [shortest, , , , , longest] = periods as readonly [Period, Period, Period, Period, Period, Period];

/** Returns the shortest period that has all `times`; ten minutes without any. */
export function periodFor(times: readonly number[], now: number): Period {
  if (times.length === 0) return periods[1] ?? shortest;
  const last = Math.max(...times) - now;
  return periods.find(({ ms }) => last <= ms * 0.95) ?? longest;
}

export function ticksOf({ ms, tickMs }: Period): readonly { readonly share: number; readonly text: string }[] {
  const count = Math.floor(ms / tickMs);
  return Array.from({ length: count }, (_, index) => {
    const at = (index + 1) * tickMs;
    return { share: at / ms, text: `+${span(at)}` };
  });
}

/** The time span of a scenario rule, as a bar on the axis. */
export interface Outage {
  readonly text: string;
  readonly scenario: string;
  readonly from: number;
  /** Undefined if it does not end. */
  readonly to: number | undefined;
}

export function toOutages(rules: readonly Schemas['RuleCounts'][]): readonly Outage[] {
  return rules.flatMap(({ scenario, rule, window }) => {
    if (window === undefined) return [];
    const to = window.to === undefined ? undefined : Date.parse(window.to);
    return [{ scenario, text: `${scenario}, rule ${rule}`, from: Date.parse(window.from), to }];
  });
}

/** Returns the part of an outage on the axis, from 0 to 1, or undefined if it is over or later. */
export function shareOf(
  { from, to }: Outage,
  now: number,
  length: number,
): { readonly start: number; readonly end: number } | undefined {
  const start = Math.max(0, (from - now) / length);
  const end = Math.min(1, to === undefined ? 1 : (to - now) / length);
  return start < 1 && end > 0 ? { start, end } : undefined;
}
