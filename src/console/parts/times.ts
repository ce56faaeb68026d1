/** Formats timestamps. All timestamps are UTC. */
/** Formats a timestamp in seconds, with milliseconds if they are not zero. */
export function instant(timestamp: string): string {
  return timestamp.replace('T', ' ').replace(/(\.000)?Z$/, '');
}
