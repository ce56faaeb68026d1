/** Handles errors that no other handler has caught, in the process of a command. */
import type { ProcessCounters } from '../../journal/counters.ts';

interface Parts {
  readonly counters: ProcessCounters;
  /** Reports the error; the process continues. */
  report(error: unknown): void;
  /** Ends the process with a nonzero exit code, because the error may have left work half done. */
  end(error: unknown): void;
}

/**
 * Reports and counts uncaught errors. The process continues after an unhandled rejection and after an error of a
 * connection or stream, because neither has interrupted other code. Any other exception ends the process.
 */
export function catchEscapedErrors({ counters, report, end }: Parts): void {
  process.on('unhandledRejection', (error) => {
    counters.errorsEscaped += 1;
    report(error);
  });
  process.on('uncaughtException', (error) => {
    counters.errorsEscaped += 1;
    if (isStreamError(error)) report(error);
    else end(error);
  });
}

const streamCalls: readonly string[] = ['accept', 'connect', 'read', 'shutdown', 'write'];

/** Returns whether a connection or stream emitted the error. Errors of files have another message. */
export function isStreamError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('ERR_STREAM_')) return true;
  return streamCalls.includes(syscall) && error.message.startsWith(`${syscall} ${code}`);
}
