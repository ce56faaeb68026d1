/** `field-sandbox start`: starts a sandbox, prints its address, logs requests, and shuts down on a signal. */
import closeWithGrace from 'close-with-grace';
import { nameAsGiven, type OptionTexts, parseOptions, readEnvironment } from '../config/options.ts';
import type { ProcessCounters } from '../journal/counters.ts';
import { type Notices, startSandbox } from '../server.ts';
import type { Io } from './frame/io.ts';
import { toAnnouncement } from './output/announcement.ts';
import { createLogSink, logRequests, toBugLines, toLogFormat, toWarningLine } from './output/log.ts';
import { printMistakes } from './output/text.ts';
import { catchEscapedErrors } from './process/escaped-errors.ts';
import { toStartMistakes } from './process/start-mistakes.ts';

/** Timeout of the shutdown, for open requests and callback attempts, in milliseconds. */
const graceMs = 10_000;

/** During this time the shutdown still serves requests, so that busy clients get responses. In milliseconds. */
const quietMs = 1000;

/** Starts the sandbox, which runs until a signal. @returns the exit code if it could not start, otherwise undefined */
export async function runStart(given: OptionTexts, io: Io): Promise<number | undefined> {
  const counters = { logLinesDropped: 0, errorsEscaped: 0 };
  const print = createLogSink(() => io.stdout, counters);
  const printError = createLogSink(() => io.stderr, counters);
  const parsed = parseOptions(given, readEnvironment(io.env));
  if (!parsed.ok) return printMistakes(parsed.mistakes, printError);
  const { options, names, remarks } = parsed;
  const format = toLogFormat(options.log, !options.json && io.stdout.isTTY === true);
  for (const remark of remarks) printError(toWarningLine(remark, format));
  const ending = new AbortController();
  const notices = {
    reportError: (id: string, error: unknown) => printError(toBugLines(id, error)),
    warn: (text: string) => printError(`${nameAsGiven(text, names)}\n`),
    onLockLost: (text: string) => {
      hasLostLock = true;
      printError(`${nameAsGiven(text, names)}. The sandbox stops, because it can no longer save data\n`);
      void close();
    },
    ending: ending.signal,
    counters,
  };
  let hasLostLock = false;
  const starting = startSandbox(options, notices);
  let flushLog: (() => void) | undefined;
  const { uninstall, close } = endGracefully(notices, async () => {
    ending.abort();
    const sandbox = await starting.catch(() => undefined);
    await sandbox?.close(quietMs);
    flushLog?.();
    // The error makes the exit code 1, so that a supervisor restarts the sandbox.
    if (hasLostLock) throw new Error('the lock of the --data folder was lost');
  });
  try {
    const sandbox = await starting;
    if (ending.signal.aborted) return undefined;
    print(toAnnouncement(sandbox, options));
    flushLog = logRequests(sandbox, format, print);
    return undefined;
  } catch (error) {
    if (ending.signal.aborted) return undefined;
    uninstall();
    const mistakes = toStartMistakes(error, options, names);
    if (mistakes) return printMistakes(mistakes, printError);
    notices.reportError('start', error);
    return 1;
  }
}

/** Closes the sandbox on a signal or an uncaught error. */
function endGracefully(notices: Notices & { readonly counters: ProcessCounters }, close: () => Promise<void>) {
  // Installed before the start, for signals during the start: process 1 of a container ignores unhandled signals.
  const skip = ['unhandledRejection', 'uncaughtException'] as const;
  const handle = closeWithGrace({ delay: graceMs, logger: false, skip: [...skip] }, close);
  let isFailing = false;
  const releaseErrors = catchEscapedErrors(notices, () => {
    if (isFailing) process.exit(1);
    isFailing = true;
    notices.warn('field-sandbox: this error ends the process, because it may have left work half done');
    process.once('exit', () => {
      process.exitCode = 1;
    });
    handle.close();
  });
  return {
    ...handle,
    uninstall: () => {
      handle.uninstall();
      releaseErrors();
    },
  };
}
