/** `field-sandbox listen`: follows a sandbox that runs elsewhere, and forwards its callbacks to a local receiver. */

import { isDelivered as isDeliveredBy } from '../../callbacks/retry.ts';
import { createSender } from '../../callbacks/send.ts';
import { defaultSecret } from '../../callbacks/signature.ts';
import { askUntilAnswered } from '../../client/backoff.ts';
import { AnswerError, bodyOf, toProjectPath } from '../../client/client.ts';
import type { AnswerOutcome } from '../../client/listener.ts';
import { ConfigError } from '../../config/config-error.ts';
import { checkUrl } from '../../config/option-checks.ts';
import { readEnvironment } from '../../config/options.ts';
import { escapeControls, withoutControls } from '../../diagnostics/line-excerpt.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { type Connection, type ConnectTexts, connect, explaining } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { toCallbackLine } from '../output/lines.ts';
import { type Paint, paintFor } from '../output/text.ts';
import { untilEnded } from '../process/signals.ts';
import { countAnswers } from './count.ts';
import type { AttemptNotice, Forwarded, Notice } from './notice.ts';
import { Forwarder, type ListenParts } from './show.ts';

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
 * @returns 0; 3 if another client is the listener
 * @throws ConfigError if an option is invalid or the sandbox rejects the request
 */
export async function runListen(texts: ListenTexts, io: Io, wall: WallClock = createWallClock()): Promise<number> {
  const print = printTo(io.stdout);
  if (texts.printSecret) {
    print(`${defaultSecret}\n`);
    printTo(io.stderr)(
      'This secret signs the callbacks of projects without a secret of their own. A secret that you set is never shown.\n',
    );
    return 0;
  }
  const mistakes: string[] = [];
  const connection = connect(texts, io.env, mistakes);
  checkTexts(texts, mistakes);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const notify = (notice: Notice): void =>
    print(io.stdout.isTTY ? toLines(notice, io) : escapeControls(`${JSON.stringify(notice)}\n`));
  const waiting = (reason: string, againInMs: number): void => notify({ event: 'waiting', reason, againInMs });
  const sender = createSender({ allow: [], timeoutMs: receiverTimeoutMs });
  const { client } = connection;
  const close = (): void => client.close();
  const parts = { client, sender, wall, notify, waiting };
  try {
    return await explaining(connection, { 'query:since': '--since' }, () =>
      untilEnded(io, close, (signal) =>
        run(texts, connection, { ...parts, signal }, io).catch((error: unknown) => {
          // What was asked at the end has no answer.
          if (signal.aborted && error instanceof AnswerError) return 0;
          throw error;
        }),
      ),
    );
  } finally {
    await sender.close();
  }
}

async function run(
  texts: ListenTexts,
  { url, target, explain }: Connection,
  parts: ListenParts,
  { env, stderr }: Io,
): Promise<number> {
  const { project, forwardTo, since, takeover } = texts;
  if (project !== undefined && forwardTo !== undefined && (await isCounting(texts, project, parts))) {
    const counting = { ...target, project, forwardTo, since, takeover: takeover === true };
    const taken = await countAnswers(counting, parts);
    if (taken === undefined) return 0;
    const takenOver = withoutControls(`${url}: another listener has taken over project ${project}`);
    const lines = taken === 'taken over' ? [takenOver] : explain(taken);
    for (const line of lines) printTo(stderr)(`${line.replace('takeover=true', '--takeover')}\n`);
    return 3;
  }
  const { SANDBOX_CALLBACK_SECRET: secret = defaultSecret } = readEnvironment(env);
  await new Forwarder({ url, project, forwardTo, secret }, parts).run();
  return 0;
}

/** Whether answers count: by default if an option needs that, or if the project has no callback URL. */
async function isCounting(texts: ListenTexts, project: string, parts: ListenParts): Promise<boolean> {
  const { answer, since, takeover } = texts;
  if (answer !== undefined) return answer === 'count';
  if (since !== undefined || takeover) return true;
  const path = `${toProjectPath(project)}/callback-endpoint`;
  const ask = () => parts.client.ask<{ readonly url: string | null }>('GET', path);
  return bodyOf(await askUntilAnswered(ask, parts)).url === null;
}

function toLines(notice: Notice, { stdout }: Pick<Io, 'stdout'>): string {
  switch (notice.event) {
    case 'callback':
      return toAttemptLines(notice, paintFor(stdout));
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

/** Adds the mistakes in the options that are not about the connection. */
function checkTexts({ forwardTo, project, answer, since, takeover }: ListenTexts, mistakes: string[]): void {
  const wrongUrl = forwardTo === undefined ? undefined : checkUrl(forwardTo);
  if (wrongUrl !== undefined) mistakes.push(`--forward-to: ${wrongUrl}`);
  if (answer !== undefined && !answerModes.includes(answer))
    mistakes.push(`--answer: expected count or show, got "${answer}"${didYouMean(answer, answerModes)}`);
  const missing = project === undefined ? '--project' : forwardTo === undefined ? '--forward-to' : undefined;
  if (answer === 'count' && missing !== undefined)
    mistakes.push(`--answer: count needs ${missing}: the receiver answers the callbacks of one project`);
  if ((since !== undefined || takeover) && (answer === 'show' || missing !== undefined))
    mistakes.push('--since and --takeover: expected --project and --forward-to with them, and not --answer show');
}

const answerModes: readonly string[] = ['count', 'show'];
