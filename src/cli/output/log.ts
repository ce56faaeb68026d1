/** Logs requests and callbacks: readable lines in a terminal, JSON lines elsewhere. Writes once per tick. */

import type { Callback } from '../../callbacks/callback.ts';
import type { Options } from '../../config/option-table.ts';
import { escapeControls, withoutControls } from '../../diagnostics/line-excerpt.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { createLazy } from '../../lib/lazy.ts';
import { timers } from '../../lib/timers.ts';
import type { RunningSandbox } from '../../server.ts';
import { parseJson } from './text.ts';

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

/**
 * Logs every new request, and in readable lines every attempt of a callback. `print` must not throw, because no caller
 * would catch the error.
 * @returns a function that resolves when all requests so far are written
 */
export function logRequests(
  { journal, projects }: Pick<RunningSandbox, 'journal'> & Partial<Pick<RunningSandbox, 'projects'>>,
  format: LogFormat,
  print: (text: string) => void,
  createFormat: () => Promise<Format> = format === 'pretty' ? async () => toLines : createJson,
): () => Promise<void> {
  if (format === 'off') return () => Promise.resolve();
  const toRaw = format === 'pretty' ? toRawLine : toRawJson;
  // Created after the first response, so that neither the start nor that response waits for it.
  const getFormat = createLazy(createFormat);
  let queue: (JournalEntry | string)[] = [];
  const write = async (): Promise<void> => {
    // If the format can't be loaded, these lines are written raw, and the next lines try again.
    const toText = await getFormat().catch(() => toRaw);
    const entries = queue;
    queue = [];
    const toLine = (one: JournalEntry | string) => (typeof one === 'string' ? one : formatSafely(one, toText, toRaw));
    if (entries.length > 0) print(entries.map(toLine).join(''));
  };
  const add = (one: JournalEntry | string): void => {
    if (queue.push(one) === 1) timers.setImmediate(write);
  };
  journal.subscribe(add);
  const logged = new WeakMap<object, number>();
  if (format === 'pretty')
    projects?.onCallback((project, callback) => {
      const { length } = callback.attempts;
      // A callback changes for other reasons, too.
      if (length > (logged.get(callback) ?? 0)) add(toAttemptLine(project, callback));
      logged.set(callback, length);
    });
  return write;
}

/** Formats a request as one or more lines. */
export type Format = (entry: JournalEntry) => string;

/** Formats an entry, or writes it raw if that throws: clients and scenarios may send any content. */
function formatSafely(entry: JournalEntry, toText: Format, toRaw: Format): string {
  try {
    return toText(entry);
  } catch {
    return toRaw(entry);
  }
}

function toRawLine({ method, url, status }: JournalEntry): string {
  return `${method} ${withoutControls(url.slice(0, maxUrlLength))} ${status}\n`;
}

function toRawJson({ id, method, url, status }: JournalEntry): string {
  return `${escapeControls(JSON.stringify({ event: 'request', id, method, url, status }))}\n`;
}

/** Maximum length of a URL in readable lines, in characters. */
const maxUrlLength = 200;

async function createJson(): Promise<Format> {
  const { pino } = await import('pino');
  let line = '';
  const write = (text: string): void => {
    line = text;
  };
  const logger = pino({ base: null, messageKey: 'event' }, { write });
  return ({ id, project, operation, method, url, status, durationMs, warnings }) => {
    const rounded = Math.round(durationMs * 10) / 10;
    logger.info(
      { id, project, operation, method, url, status, durationMs: rounded, warnings: warnings.length },
      'request',
    );
    return escapeControls(line);
  };
}

/** Formats the last attempt of a callback as a readable line. */
function toAttemptLine(project: string, { type, body, attempts }: Callback): string {
  const { at, status, error } = attempts.at(-1) ?? {};
  const { failed, succeeded = [] } = body.data;
  const count = failed.length + succeeded.length;
  const entries = `${count} ${count === 1 ? 'entry' : 'entries'}`;
  const line = `${at} ${project} callback ${type} ${status ?? error ?? 'in the inbox'} · ${entries} · attempt ${attempts.length}`;
  return `${withoutControls(line)}\n`;
}

/** Formats a request as a readable line, followed by its problems. */
function toLines(entry: JournalEntry): string {
  const { at, project, method, operation, url, status, durationMs, warnings } = entry;
  const result = readResult(entry);
  const counts = result.accepted === undefined ? '' : ` · ${result.accepted} ${result.noun}`;
  const failed = result.failed.length > 0 ? ` · ${result.failed.length} failed` : '';
  const what = operation ?? withoutControls(url.slice(0, maxUrlLength));
  const head = `${at} ${withoutControls(project ?? '-')} ${method} ${what} ${status} ${Math.round(durationMs)} ms${counts}${failed}`;
  const problems = [
    ...(result.message === undefined ? [] : [result.message]),
    ...result.failed.slice(0, 5).map(({ id, reason }) => `${id || '(no id)'} failed: ${reason}`),
    ...warnings.slice(0, 5).map((warning) => `warning: ${warning}`),
  ];
  return [head, ...problems.map((problem) => `    ${withoutControls(problem)}`), ''].join('\n');
}

interface Result {
  readonly accepted: number | undefined;
  readonly noun: string;
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  readonly message: string | undefined;
}

/** Longer response bodies are not parsed, in characters. */
const maxParsedLength = 200_000;

function readResult({ responseBody, status, problem }: JournalEntry): Result {
  const none: Result = { accepted: undefined, noun: '', failed: [], message: problem?.message };
  if (problem) return none;
  if (responseBody === undefined || responseBody.length > maxParsedLength || !responseBody.startsWith('{')) return none;
  // A scenario may respond with invalid JSON.
  const body = Object(parseJson(responseBody)) as Readonly<Record<string, unknown>>;
  const accepted = body['jobsReceived'] ?? body['ordersReceived'];
  return {
    accepted: typeof accepted === 'number' ? accepted : undefined,
    noun: ('jobsReceived' in body ? 'job' : 'order') + (accepted === 1 ? '' : 's'),
    failed: Array.isArray(body['failed']) ? body['failed'].map(toFailed) : [],
    message: status >= 400 && typeof body['message'] === 'string' ? body['message'] : undefined,
  };
}

/** Reads a failed entry. A scenario may respond with a list of any values. */
function toFailed(value: unknown): Result['failed'][number] {
  const { id, reason }: { id?: unknown; reason?: unknown } = typeof value === 'object' && value !== null ? value : {};
  return { id: typeof id === 'string' ? id : '', reason: typeof reason === 'string' ? reason : '(no reason)' };
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
