/** Formats timestamps and durations. All timestamps are UTC. */
import { formatSpan as span } from '../../lib/format.ts';

export { span };

/** Formats a timestamp in seconds, with milliseconds if they are not zero. */
export function instant(timestamp: string): string {
  return timestamp.replace('T', ' ').replace(/(\.000)?Z$/, '');
}

/** Formats the time left until a timestamp. */
export function untilDue(dueAt: string, nowMs: number): string {
  const ms = Date.parse(dueAt) - nowMs;
  if (ms <= 0) return 'now';
  return ms < 1000 ? 'in less than 1 s' : `in ${span(ms)}`;
}
