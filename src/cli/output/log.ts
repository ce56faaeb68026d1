/**
 * Logs requests and callbacks: readable lines in a terminal, JSON lines elsewhere. Writes once per tick, to a stream that
 * may be slow, full or closed.
 */
import type { Writable } from 'node:stream';
import type { Options } from '../../config/option-table.ts';
import { countEntries, findTraceId, toHead, toRequestProblem } from '../../control-api/requests/show.ts';
import { escapeControls, toTerminal, withoutControls } from '../../diagnostics/line-excerpt.ts';
import type { ProcessCounters } from '../../journal/counters.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { createWallClock } from '../../lib/time.ts';
import { timers } from '../../lib/timers.ts';
import type { RunningSandbox } from '../../server.ts';
import { toAttemptLine, toExplanation, toRequestLine } from './lines.ts';

type LogFormat = Exclude<Options['log'], 'auto'>;

/** Returns the format for `--log`. Default: readable lines in a terminal, otherwise JSON. */
export function toLogFormat(log: Options['log'], isTerminal: boolean): LogFormat {
  return log !== 'auto' ? log : isTerminal ? 'pretty' : 'json';
}

/** Formats a warning about the options on one line. */
export function toWarningLine(text: string, format: LogFormat): string {
  return format === 'json'
    ? `${escapeControls(JSON.stringify({ event: 'warning', message: text }))}\n`
    : `warning: ${withoutControls(text)}\n`;
}

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

/**
 * Logs every new request, and in readable lines every attempt of a callback. `print` must not throw, because no caller
 * would catch the error.
 * @returns a function that writes all requests so far
 */
export function logRequests(
  { journal, projects }: Pick<RunningSandbox, 'journal'> & Partial<Pick<RunningSandbox, 'projects'>>,
  format: LogFormat,
  print: (text: string) => void,
): () => void {
  if (format === 'off') return () => undefined;
  const toText = format === 'pretty' ? toLines : createJson();
  let queue: (JournalEntry | string)[] = [];
  // Formatted after the response, so that it does not wait for that.
  const write = (): void => {
    const entries = queue;
    queue = [];
    const toLine = (one: JournalEntry | string) => (typeof one === 'string' ? one : formatSafely(one, toText));
    if (entries.length > 0) print(entries.map(toLine).join(''));
  };
  const add = (one: JournalEntry | string): void => {
    if (queue.push(one) === 1) timers.setImmediate(write);
  };
  journal.subscribe(add);
  if (format === 'pretty')
    projects?.on('callback', (project, callback, made) => {
      if (made) add(`${toAttemptLine(project, callback, callback.attempts.length - 1)}\n`);
    });
  return write;
}

/** Logs to a stream as the options ask for. @returns as `logRequests` */
export function logTo(
  stream: Writable & { readonly isTTY?: boolean },
  sandbox: Pick<RunningSandbox, 'journal' | 'projects'>,
  { log }: Options,
  counters: ProcessCounters,
): () => void {
  return logRequests(
    sandbox,
    toLogFormat(log, stream.isTTY === true),
    createLogSink(() => stream, counters),
  );
}

/** Formats a request as one or more lines. */
type Format = (entry: JournalEntry) => string;

/** Formats an entry, or writes it raw if that throws: clients and scenarios may send any content. */
function formatSafely(entry: JournalEntry, toText: Format): string {
  try {
    return toText(entry);
  } catch {
    const { id, method, url, status } = entry;
    return `${escapeControls(JSON.stringify({ event: 'request', id, method, url, status }))}\n`;
  }
}

/** The level of all lines, as programs that read logs know it. */
const infoLevel = 30;

function createJson(): Format {
  const wall = createWallClock();
  return (entry) => {
    const { id, project, operation, method, url, status, durationMs, warnings } = entry;
    const rounded = Math.round(durationMs * 10) / 10;
    const fields = { id, project, operation, method, url, status, durationMs: rounded, warnings: warnings.length };
    const line = { level: infoLevel, time: wall.now(), ...fields, traceId: findTraceId(entry), event: 'request' };
    return `${escapeControls(JSON.stringify(line))}\n`;
  };
}

/** Maximum number of lines about one request. */
const maxExplained = 10;

/** Formats a request as a readable line, followed by its problems. */
function toLines(entry: JournalEntry): string {
  const entries = countEntries(entry);
  const line = toRequestLine({ ...toHead(entry), entries, warnings: entry.warnings.length });
  return [line, ...toExplanation(toRequestProblem(entry, undefined)).slice(0, maxExplained), ''].join('\n');
}

/** Formats a bug of the sandbox for the log. The error may quote a client's text. */
export function toBugLines(id: string, error: unknown): string {
  const [head = '', ...rest] = toStack(error).split('\n');
  return `${[`bug ${id}: ${withoutControls(head)}`, ...rest.map((line) => `    ${withoutControls(line).trimStart()}`)].join('\n')}\n`;
}

/** Returns the stack or text of a thrown value, which may be of any type. */
function toStack(error: unknown): string {
  try {
    return error instanceof Error ? String(error.stack ?? error.message) : String(error);
  } catch {
    return 'an error that cannot be shown as text';
  }
}
