/** Writes log text to an output stream that may be slow, full or closed. */
import type { Writable } from 'node:stream';
import { toTerminal } from '../../diagnostics/line-excerpt.ts';
import type { ProcessCounters } from '../../journal/counters.ts';

/** Maximum amount of unwritten text, in bytes. Above it, lines are dropped until the pipe's reader catches up. */
const maxUnwrittenBytes = 4 * 1024 ** 2;

/**
 * Creates a function that writes text to a stream. It drops and counts lines that can't be written: the disk may be
 * full, or the reader of a pipe closed or too slow. It opens the stream for the first text, so that the start does not
 * wait.
 */
export function createLogSink(open: () => Writable, counters: ProcessCounters): (text: string) => void {
  let opened: Writable | undefined;
  const drop = (text: string): void => {
    counters.logLinesDropped += text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  };
  return (text) => {
    opened ??= open();
    const stream = opened;
    // Without a listener, an error would end the process. The callback of the write counts it. Sinks of a stream share it.
    if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
    if (stream.writableLength > maxUnwrittenBytes) {
      drop(text);
      return;
    }
    try {
      stream.write(toTerminal(text), (error) => {
        if (error) drop(text);
      });
    } catch {
      drop(text);
    }
  };
}
