/** `field-sandbox listen`: follows a sandbox that runs elsewhere, and forwards its callbacks to a local receiver. */

import { styleText } from 'node:util';
import { isDelivered as isDeliveredBy } from '../../callbacks/retry.ts';
import { createSender } from '../../callbacks/send.ts';
import { defaultSecret } from '../../callbacks/signature.ts';
import { askUntilAnswered } from '../../client/backoff.ts';
import { toProjectPath } from '../../client/client.ts';
import type { AnswerOutcome, ListenerEnd } from '../../client/listener.ts';
import { checkUrl } from '../../config/option-checks.ts';
import { readEnvironment } from '../../config/options.ts';
import { escapeControls, withoutControls } from '../../diagnostics/line-excerpt.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { type Connection, type ConnectTexts, connect } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { toCallbackLine } from '../output/lines.ts';
import { type Paint, printMistakes } from '../output/text.ts';
import { untilEnded } from '../process/signals.ts';
import { countAnswers } from './count.ts';
import type { AttemptNotice, Forwarded, Notice } from './notice.ts';
import { type ListenParts, showAttempts } from './show.ts';

/** The command's options, as text. */
export interface ListenTexts extends ConnectTexts {
  readonly forwardTo?: string;
  readonly project?: string;
  readonly answer?: string;
  readonly since?: string;
  readonly takeover?: true;
  readonly printSecret?: true;
}

/** Timeout of a forwarded attempt. It is long because the receiver may be paused in a debugger. */
const receiverTimeoutMs = 30_000;

/** Maximum number of failures that the line of a callback shows. */
const maxShownFailures = 2;

/**
 * Runs until a signal ends it. Prints readable lines in a terminal, otherwise JSON lines.
 * @returns 0; 2 if an option is invalid or the sandbox rejects the request; 3 if another client is the listener
 */
export async function runListen(texts: ListenTexts, io: Io, wall: WallClock = createWallClock()): Promise<number> {
  const print = printTo(io.stdout);
  const printError = printTo(io.stderr);
  if (texts.printSecret) {
    print(`${defaultSecret}\n`);
    printError(
      'This secret signs the callbacks of projects without a secret of their own. A secret that you set is never shown.\n',
    );
    return 0;
  }
  const connection = connect(texts, io.env);
  const checked = checkTexts(texts);
  const mistakes = [...('mistakes' in connection ? connection.mistakes : []), ...checked];
  if ('mistakes' in connection || mistakes.length > 0) return printMistakes(mistakes, printError);
  const notify = (notice: Notice): void =>
    print(io.stdout.isTTY ? toLines(notice, io) : escapeControls(`${JSON.stringify(notice)}\n`));
  const waiting = (reason: string, againInMs: number): void => notify({ event: 'waiting', reason, againInMs });
  const sender = createSender({ allow: [], timeoutMs: receiverTimeoutMs });
  const { client } = connection;
  const parts = { client, sender, wall, notify, waiting };
  const ended = await untilEnded(
    io,
    () => client.close(),
    (signal) => run(texts, connection, { ...parts, signal }, io.env),
  ).finally(() => sender.close());
  for (const line of ended.lines ?? []) printError(`${line}\n`);
  return ended.code;
}

interface Ended {
  readonly code: 0 | 2 | 3;
  /** Why, for the user. */
  readonly lines?: readonly string[];
}

async function run(texts: ListenTexts, connection: Connection, parts: ListenParts, env: Io['env']): Promise<Ended> {
  const { project, forwardTo, since, takeover = false } = texts;
  const { url, explain } = connection;
  const { SANDBOX_CALLBACK_SECRET: secret = defaultSecret } = readEnvironment(env);
  const answer = await toAnswerMode(texts, connection, parts);
  if (typeof answer === 'object') return answer;
  if (answer === 'count' && project !== undefined && forwardTo !== undefined) {
    const ended = await countAnswers({ ...connection.target, project, forwardTo, since, takeover }, parts);
    return toEnded(ended, project, connection);
  }
  if (since !== undefined || takeover) return { code: 2, lines: [needsCount] };
  const failure = await showAttempts({ url, project, forwardTo, secret }, parts);
  return failure ? { code: 2, lines: explain(failure) } : { code: 0 };
}

function toEnded(ended: ListenerEnd, project: string, { url, explain }: Connection): Ended {
  switch (ended.kind) {
    case 'taken over':
      return { code: 3, lines: [withoutControls(`${url}: another listener has taken over project ${project}`)] };
    case 'refused':
      return {
        code: ended.failure.code === 'listener_taken' ? 3 : 2,
        lines: explain(ended.failure, { 'query:since': '--since' }),
      };
    default:
      return { code: 0 };
  }
}

const needsCount =
  '--since and --takeover need --answer count, which is the default only with --project and --forward-to, and without a callback URL of the project';

/** Returns whether answers count: by default if the project has no callback URL. */
async function toAnswerMode(
  { answer, project, forwardTo }: ListenTexts,
  { client, explain }: Connection,
  parts: ListenParts,
): Promise<'count' | 'show' | Ended> {
  if (answer === 'show' || project === undefined || forwardTo === undefined) return 'show';
  const path = `${toProjectPath(project)}/callback-endpoint`;
  const endpoint = await askUntilAnswered(() => client.ask<{ readonly url: string | null }>('GET', path), parts);
  if (parts.signal.aborted) return { code: 0 };
  if (!endpoint.ok) return { code: 2, lines: explain(endpoint) };
  return isAnswer(answer) ? answer : endpoint.body.url === null ? 'count' : 'show';
}

function toLines(notice: Notice, { stdout }: Pick<Io, 'stdout'>): string {
  switch (notice.event) {
    case 'callback':
      return toAttemptLines(notice, (colour, text) => styleText(colour, text, { stream: stdout }));
    case 'listening': {
      const { url, project, forwardTo, answer } = notice;
      const what = `${project === undefined ? '' : `project ${withoutControls(project)} of `}${url}`;
      const how = answer === 'count' ? ', whose answers count' : '';
      return `listening to ${what}${forwardTo === undefined ? '' : `, forwarding to ${forwardTo}${how}`}\n`;
    }
    case 'since':
      return `sending again what came since ${withoutControls(notice.since)}: the same bodies, with new signatures and timestamps\n`;
    case 'reset':
      return `project ${withoutControls(notice.project)} was reset\n`;
    case 'waiting':
      return `the sandbox is not available: ${withoutControls(notice.reason)}; next attempt in ${notice.againInMs / 1000} s\n`;
    case 'missed':
      return `events were lost: ${withoutControls(notice.reason)}; listing all callbacks\n`;
    case 'gone':
      return `${withoutControls(`callback ${notice.id} is lost: project ${notice.project} was reset before the callback could be read`)}\n`;
    default:
      return notice satisfies never;
  }
}

/** Formats an attempt, the entries that its callback names, and a hint. */
function toAttemptLines(notice: AttemptNotice, paint: Paint): string {
  const { at, project, type, id, attempt, failed, sandbox, answer, forwarded, hint } = notice;
  const own = answer ? answers[answer] : sandbox === 'inbox' ? 'in the inbox' : withoutControls(`sandbox: ${sandbox}`);
  const results = [...(own === '' ? [] : [own]), ...(forwarded ? [toForwardedText(forwarded, paint)] : [])];
  const line = toCallbackLine({ at, project, type, name: `attempt ${attempt}`, result: results.join(', '), id });
  const shown = failed.slice(0, maxShownFailures).map((one) => `${one.id || '(no id)'}: ${one.reason}`);
  const more = failed.length > maxShownFailures ? [`and ${failed.length - maxShownFailures} more`] : [];
  const entries = [...shown, ...more].join(', ');
  const details = [...(entries === '' ? [] : [withoutControls(entries)]), ...(hint === undefined ? [] : [hint])];
  return [line, ...details.map((text) => `    ${text}`), ''].join('\n');
}

function toForwardedText(forwarded: Forwarded, paint: Paint): string {
  const isDelivered = 'status' in forwarded && isDeliveredBy(forwarded);
  const response = 'status' in forwarded ? `receiver ${forwarded.status}` : `receiver: ${forwarded.error}`;
  return paint(isDelivered ? 'green' : 'red', withoutControls(`${response} in ${forwarded.ms} ms`));
}

const answers: Readonly<Record<AnswerOutcome, string>> = {
  counted: '',
  kept: 'had reached your receiver, which is not called again',
  late: 'too late: the attempt was over',
};

/** Returns all mistakes in the options that are not about the connection. */
function checkTexts({ forwardTo, project, answer, since }: ListenTexts): readonly string[] {
  return [
    toMistake('--forward-to', forwardTo === undefined ? undefined : checkUrl(forwardTo)),
    toMistake('--project', project === '' ? 'expected a project id, got an empty value' : undefined),
    toMistake('--answer', checkAnswer(answer, project, forwardTo)),
    toMistake('--since', since === '' ? `expected ${sinceHelp}, got an empty value` : undefined),
  ].flat();
}

const sinceHelp = 'a time span such as 10m, the id of a callback, or first';
const answerModes = ['count', 'show'] as const;
const isAnswer = (text: string | undefined): text is (typeof answerModes)[number] =>
  answerModes.some((mode) => mode === text);

function checkAnswer(answer: string | undefined, project?: string, forwardTo?: string): string | undefined {
  if (answer !== undefined && !isAnswer(answer))
    return `expected count or show, got "${answer}"${didYouMean(answer, answerModes)}`;
  const missing = project === undefined ? '--project' : forwardTo === undefined ? '--forward-to' : undefined;
  if (answer !== 'count' || missing === undefined) return undefined;
  return `count needs ${missing}: the receiver answers the callbacks of one project`;
}

function toMistake(name: string, mistake: string | undefined): readonly string[] {
  return mistake === undefined ? [] : [`${name}: ${mistake}`];
}
