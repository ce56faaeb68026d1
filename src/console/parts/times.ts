/** Formats timestamps and durations. All timestamps are UTC. */
import { formatSpan as span } from '../../lib/format.ts';

export { span };

/** Formats a timestamp in seconds, with milliseconds if they are not zero. */
export function instant(timestamp: string): string {
  return timestamp.replace('T', ' ').replace(/(\.000)?Z$/, '');
}
