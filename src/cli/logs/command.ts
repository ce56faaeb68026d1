/** `field-sandbox logs`: shows the requests of a sandbox and the attempts of their callbacks, now and as they happen. */
import { toQuery } from '../../client/client.ts';
import type { SentEvent } from '../../client/event-stream.ts';
import { followEvents } from '../../client/follow.ts';
import { ConfigError } from '../../config/config-error.ts';
import { withoutControls } from '../../diagnostics/line-excerpt.ts';
import { durationHelp, parseDuration } from '../../lib/duration.ts';
import { createWallClock } from '../../lib/time.ts';
import { operationIds } from '../../operations/index.ts';
import { findUnmatched, matchesAny } from '../../scenarios/glob.ts';
import { type ConnectTexts, connect, explaining, findProjectMistake } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { untilEnded } from '../process/signals.ts';
import { type LogFilter, LogReader } from './log-reader.ts';

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

/** @returns 0. @throws ConfigError if an option is invalid, or the sandbox refuses */
export async function runLogs(texts: LogsTexts, io: Io): Promise<number> {
  const { project, explain: explains = false, json: isJson = false, follow } = texts;
  const mistakes: string[] = [];
  const connection = connect(texts, io.env, mistakes);
  const { client } = connection;
  const filter = toFilter(texts, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const reader = new LogReader(client, filter, { explains, isJson, print: printTo(io.stdout) });
  const waiting = (reason: string, ms: number): void =>
    printTo(io.stderr)(`the sandbox is not available: ${withoutControls(reason)}; next attempt in ${ms / 1000} s\n`);
  const read = (events: readonly SentEvent[]) => reader.follow(events);
  const path = `/events${toQuery({ project })}`;
  await explaining(connection, names, async () => {
    if (!follow) return reader.read();
    // Until a signal, or until nobody reads the output.
    const close = () => client.close();
    await untilEnded(io, close, (signal) =>
      followEvents(client, path, { wall: createWallClock(), signal, waiting, read }),
    );
  });
  // No refusal: as in the control API, a project that does not exist is an empty one.
  const isEmpty = project !== undefined && !follow && !reader.hasPrinted;
  const mistake = isEmpty ? await findProjectMistake(connection, project) : undefined;
  if (mistake !== undefined) printTo(io.stderr)(`${mistake}\n`);
  return 0;
}

function toFilter(texts: LogsTexts, mistakes: string[]): LogFilter {
  const { project, operation, status, outcome, id, trace, since } = texts;
  const globs = operation?.split(',').map((glob) => glob.trim());
  const operations = [...operationIds, 'none'];
  const isSpan = since !== undefined && parseDuration(since) !== undefined;
  mistakes.push(
    ...findUnmatched('--operation', 'operation', globs, operations),
    ...(since === undefined || isSpan || since.startsWith('req_')
      ? []
      : [`--since: expected ${durationHelp}, or the id of a request; got ${JSON.stringify(since)}`]),
  );
  const span = since === undefined ? {} : isSpan ? { within: since } : { since };
  const named = globs && { operation: operations.filter((name) => matchesAny(globs, name)).join() };
  return { project, id, query: { status, outcome, trace, ...named, ...span } };
}
