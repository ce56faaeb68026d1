/** `field-sandbox logs`: shows the requests of a sandbox and the attempts of their callbacks, now and as they happen. */
import { durationHelp, parseDuration } from '../../lib/duration.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { operationIds } from '../../operations/index.ts';
import { findUnmatched, matchesAny } from '../../scenarios/glob.ts';
import { type Connection, type ConnectTexts, connect, findProjectMistake } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { printMistakes } from '../output/text.ts';
import { untilEnded } from '../process/signals.ts';
import { followLogs } from './follow.ts';
import { type LogFilter, LogReader, refusalOf } from './log-reader.ts';

/** The command's options, as text. */
export interface LogsTexts extends ConnectTexts {
  readonly project?: string;
  readonly operation?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly id?: string;
  readonly trace?: string;
  readonly since?: string;
  readonly follow?: true;
  readonly explain?: true;
  readonly json?: true;
}

/** The options by the places of mistakes. */
const names = {
  'query:status': '--status',
  'query:outcome': '--outcome',
  'query:entity': '--id',
  'query:trace': '--trace',
  'query:since': '--since',
};

/** @returns 0; 2 if an option is invalid, or the sandbox refuses */
export async function runLogs(texts: LogsTexts, io: Io, wall: WallClock = createWallClock()): Promise<number> {
  const printError = printTo(io.stderr);
  const fail = (mistakes: readonly string[]): number => printMistakes(mistakes, printError);
  const connection = connect(texts, io.env);
  const filter = toFilter(texts);
  const mistakes = [connection, filter].flatMap((one) => ('mistakes' in one ? one.mistakes : []));
  if ('mistakes' in connection || 'mistakes' in filter) return fail(mistakes);
  const format = { explains: texts.explain === true, isJson: texts.json === true };
  const reader = new LogReader(connection.client, filter, { ...format, print: printTo(io.stdout) });
  if (texts.follow) return follow(connection, reader, io, wall);
  const failure = await refusalOf(() => reader.read());
  if (failure) return fail(connection.explain(failure, names));
  const mistake =
    texts.project === undefined || reader.hasPrinted ? undefined : await findProjectMistake(connection, texts.project);
  return mistake === undefined ? 0 : fail([mistake]);
}

/** Follows the sandbox until a signal, or until nobody reads the output. */
async function follow({ client, explain }: Connection, reader: LogReader, io: Io, wall: WallClock): Promise<number> {
  const printError = printTo(io.stderr);
  const failure = await untilEnded(
    io,
    () => client.close(),
    (signal) => followLogs({ client, reader, wall, signal, printError }),
  );
  return failure ? printMistakes(explain(failure, names), printError) : 0;
}

function toFilter(texts: LogsTexts): LogFilter | { readonly mistakes: readonly string[] } {
  const { project, operation, status, outcome, id, trace, since } = texts;
  const globs = operation?.split(',').map((glob) => glob.trim());
  const operations = [...operationIds, 'none'];
  const isSpan = since !== undefined && parseDuration(since) !== undefined;
  const empty = Object.entries({ project, status, outcome, id, trace }).filter(([, text]) => text === '');
  const mistakes = [
    ...empty.map(([name]) => `--${name}: expected a value, got an empty one`),
    ...findUnmatched('--operation', 'operation', globs, operations),
    ...(since === undefined || isSpan || since.startsWith('req_')
      ? []
      : [`--since: expected ${durationHelp}, or the id of a request; got ${JSON.stringify(since)}`]),
  ];
  if (mistakes.length > 0) return { mistakes };
  const span = since === undefined ? {} : isSpan ? { within: since } : { since };
  const named = globs && { operation: operations.filter((name) => matchesAny(globs, name)).join() };
  return { project, id, query: { status, outcome, trace, ...named, ...span } };
}
