/** Handles errors that no other handler has caught, in the process of a command. */
import type { ProcessCounters } from '../../journal/counters.ts';
import type { Notices } from '../../server.ts';

/**
 * Reports and counts uncaught errors. The process continues after an unhandled rejection and after an error of a
 * connection or stream, because neither has interrupted other code. Any other exception may have left work half done:
 * `end` ends the process with a nonzero exit code.
 * @returns a function that stops this
 */
export function catchEscapedErrors(
  { reportError, counters }: Pick<Notices, 'reportError'> & { readonly counters: ProcessCounters },
  end: () => void,
): () => void {
  const onRejection = (error: unknown): void => {
    counters.errorsEscaped += 1;
    reportError('escaped', error);
  };
  const onException = (error: unknown): void => {
    onRejection(error);
    if (!isStreamError(error)) end();
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onException);
  return () => {
    process.off('unhandledRejection', onRejection);
    process.off('uncaughtException', onException);
  };
}

const streamCalls: readonly string[] = ['accept', 'connect', 'read', 'shutdown', 'write'];

/** Returns whether a connection or stream emitted the error. Errors of files have another message. */
function isStreamError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (code.startsWith('ERR_STREAM_')) return true;
  return streamCalls.includes(syscall) && error.message.startsWith(`${syscall} ${code}`);
}
