/** Tells of requests as they come: a readable line each in a terminal, JSON lines elsewhere. Writes once a tick. */
import { escapeControls, withoutControls } from '../base/line-excerpt.ts';
import type { Journal, JournalEntry } from '../journal/journal.ts';
import type { Options } from '../option-table.ts';

/** Writes a line for every request from now on. What it gives back waits until all that came so far are written. */
export function tellOfRequests(
  journal: Journal,
  form: Exclude<Options['log'], 'auto'>,
  print: (text: string) => void,
): () => Promise<void> {
  if (form === 'off') return () => Promise.resolve();
  const createFormat = form === 'pretty' ? createPretty : createJson;
  let format: Promise<Format> | undefined;
  let waiting: JournalEntry[] = [];
  const write = async (): Promise<void> => {
    // Made for the first request, when it has its answer: neither a start nor that answer waits for it.
    format ??= createFormat();
    const toText = await format;
    const entries = waiting;
    waiting = [];
    if (entries.length > 0) print(toText(entries));
  };
  journal.subscribe((entry) => {
    if (waiting.push(entry) === 1) setImmediate(write);
  });
  return write;
}

type Format = (entries: readonly JournalEntry[]) => string;

async function createPretty(): Promise<Format> {
  return (entries) => entries.map(toLines).join('');
}

async function createJson(): Promise<Format> {
  const { pino } = await import('pino');
  let lines = '';
  const write = (line: string): void => {
    lines += line;
  };
  const logger = pino({ base: null, messageKey: 'event' }, { write });
  return (entries) => {
    lines = '';
    for (const { id, project, operation, method, url, status, durationMs, warnings } of entries) {
      const rounded = Math.round(durationMs * 10) / 10;
      logger.info(
        { id, project, operation, method, url, status, durationMs: rounded, warnings: warnings.length },
        'request',
      );
    }
    return escapeControls(lines);
  };
}

/** One request as a line for people, and beneath it what was wrong with it. */
function toLines(entry: JournalEntry): string {
  const { method, operation, url, status, durationMs, warnings } = entry;
  const result = readResult(entry);
  const counts = result.accepted === undefined ? '' : ` · ${result.accepted} ${result.noun}`;
  const failed = result.failed.length > 0 ? ` · ${result.failed.length} failed` : '';
  const head = `${method} ${operation ?? printable(url.slice(0, 200))} ${status} ${Math.round(durationMs)} ms${counts}${failed}`;
  const problems = [
    ...(result.message === undefined ? [] : [result.message]),
    ...result.failed.slice(0, 5).map(({ id, reason }) => `${id || '(no id)'} failed: ${reason}`),
    ...warnings.slice(0, 5).map((warning) => `warning: ${warning}`),
  ];
  return [head, ...problems.map((problem) => `    ${printable(problem)}`), ''].join('\n');
}

interface Result {
  readonly accepted: number | undefined;
  readonly noun: string;
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  readonly message: string | undefined;
}

const longestRead = 200_000;

function readResult({ responseBody, status }: JournalEntry): Result {
  const none: Result = { accepted: undefined, noun: '', failed: [], message: undefined };
  if (responseBody === undefined || responseBody.length > longestRead || !responseBody.startsWith('{')) return none;
  const body = readJson(responseBody);
  const accepted = body['jobsReceived'] ?? body['ordersReceived'];
  return {
    accepted: typeof accepted === 'number' ? accepted : undefined,
    noun: ('jobsReceived' in body ? 'job' : 'order') + (accepted === 1 ? '' : 's'),
    failed: Array.isArray(body['failed']) ? (body['failed'] as Result['failed']) : [],
    message: status >= 400 && typeof body['message'] === 'string' ? body['message'] : undefined,
  };
}

/** A scenario may answer with what only looks like JSON. */
function readJson(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** What came from a client can't move the cursor, begin a line of its own, or turn one round. */
export function printable(text: string): string {
  return withoutControls(text);
}

/** A bug of ours as it is told; an error may quote what a client sent. */
export function toBugLines(id: string, error: unknown): string {
  const [head = '', ...rest] = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n');
  return `${[`bug ${id}: ${printable(head)}`, ...rest.map((line) => `    ${printable(line).trimStart()}`)].join('\n')}\n`;
}
