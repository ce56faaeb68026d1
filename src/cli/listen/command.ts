/** `field-sandbox listen`: follows a sandbox that runs elsewhere, and forwards its callbacks to a local receiver. */

import { styleText } from 'node:util';
import { createSender } from '../../callbacks/send.ts';
import { defaultSecret } from '../../callbacks/signature.ts';
import { createBackoff } from '../../client/backoff.ts';
import type { AnswerOutcome, ListenerEnd } from '../../client/listener.ts';
import { checkUrl } from '../../config/option-checks.ts';
import { optionTable } from '../../config/option-table.ts';
import { readEnvironment } from '../../config/options.ts';
import { escapeControls, withoutControls } from '../../diagnostics/line-excerpt.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { checkAddress, defaultUrl, toBaseUrl } from '../connect.ts';
import { type Io, printTo } from '../frame/io.ts';
import { type Paint, printMistakes } from '../output/text.ts';
import { untilSignal } from '../process/signals.ts';
import { readKey } from '../read-key.ts';
import { createControl } from './control.ts';
import { countAnswers } from './count.ts';
import { type ListenParts, type ListenTarget, listen } from './listen.ts';
import type { AttemptNotice, Notice } from './notice.ts';

/** The command's options, as text. */
export interface ListenTexts {
  readonly url?: string;
  readonly forwardTo?: string;
  readonly project?: string;
  readonly adminToken?: string;
  readonly apiKey?: string;
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
  const parsed = parseListening(texts, readEnvironment(io.env));
  if ('mistakes' in parsed) return printMistakes(parsed.mistakes, printError);
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  io.signal?.addEventListener('abort', stop);
  const notify = (notice: Notice): void =>
    print(io.stdout.isTTY ? toLine(notice, io) : escapeControls(`${JSON.stringify(notice)}\n`));
  const sender = createSender({ allow: [], timeoutMs: receiverTimeoutMs });
  const listening = run(parsed, { sender, wall, signal: ending.signal, notify });
  // The reader of the output has closed it, as `head` does.
  io.stdout.once('error', stop);
  // During a backoff nothing else keeps the process alive.
  const keepAlive = setInterval(() => undefined, 60_000);
  try {
    await untilSignal(listening.catch(() => undefined));
    stop();
    const { code, reason } = await listening;
    if (reason !== undefined) printError(`${parsed.url}: ${withoutControls(reason)}\n`);
    return code;
  } finally {
    clearInterval(keepAlive);
    io.stdout.off('error', stop);
    await sender.close();
  }
}

interface Ended {
  readonly code: 0 | 2 | 3;
  readonly reason?: string;
}

/** What a command line asks for. */
interface Listening extends ListenTarget {
  /** By default, the project decides. */
  readonly answer: 'count' | 'show' | undefined;
  readonly since: string | undefined;
  readonly takeover: boolean;
}

async function run(target: Listening, parts: ListenParts): Promise<Ended> {
  const { project, forwardTo, since, takeover } = target;
  const answer = await toAnswerMode(target, parts);
  if (typeof answer === 'object') return answer;
  if (answer === 'count' && project !== undefined && forwardTo !== undefined) {
    const ended = await countAnswers({ ...target, project, forwardTo }, parts);
    return toEnded(ended, project);
  }
  if (since !== undefined || takeover) return { code: 2, reason: needsCount };
  const reason = await listen(target, parts);
  return reason === undefined ? { code: 0 } : { code: 2, reason };
}

function toEnded(ended: ListenerEnd, project: string): Ended {
  switch (ended.kind) {
    case 'taken over':
      return { code: 3, reason: `another listener has taken over project ${project}` };
    case 'refused':
      return { code: ended.failure.code === 'listener_taken' ? 3 : 2, reason: ended.failure.message };
    default:
      return { code: 0 };
  }
}

const needsCount =
  '--since and --takeover need --answer count, which is the default only with --project and --forward-to, and without a callback URL of the project';

/** Returns whether answers count: by default if the project has no callback URL. */
async function toAnswerMode(
  target: Listening,
  { wall, signal, notify }: ListenParts,
): Promise<'count' | 'show' | Ended> {
  const { answer, project, forwardTo } = target;
  if (answer === 'show' || project === undefined || forwardTo === undefined) return 'show';
  const control = createControl(target, wall, signal);
  const backoff = createBackoff(wall, signal, (reason, againInMs) => notify({ event: 'waiting', reason, againInMs }));
  while (!signal.aborted) {
    const result = await control.get(`/projects/${encodeURIComponent(project)}/callback-endpoint`);
    if (result.kind === 'answered')
      return answer ?? ((result.body as { url: unknown }).url === null ? 'count' : 'show');
    if (result.kind !== 'failed' || result.isPermanent)
      return { code: 2, reason: 'reason' in result ? result.reason : 'it has no projects: is it a field-sandbox?' };
    await backoff.wait(result.reason);
  }
  return { code: 0 };
}

function toLine(notice: Notice, { stdout }: Pick<Io, 'stdout'>): string {
  switch (notice.event) {
    case 'callback':
      return toAttemptLine(notice, (colour, text) => styleText(colour, text, { stream: stdout }));
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

function toAttemptLine(
  { at, project, type, id, attempt, failed, sandbox, answer, forwarded, hint }: AttemptNotice,
  paint: Paint,
): string {
  const shown = failed.slice(0, maxShownFailures).map((one) => `${one.id || '(no id)'}: ${one.reason}`);
  const more = failed.length > maxShownFailures ? [`and ${failed.length - maxShownFailures} more`] : [];
  const retryText = attempt > 1 ? ` (attempt ${attempt})` : '';
  const head = `${at} ${project} ${type} ${id}${retryText} ${[...shown, ...more].join(', ')}`;
  const sandboxText = answer ? answers[answer] : sandbox === 'inbox' ? 'in the inbox' : `sandbox: ${sandbox}`;
  if (!forwarded) return `${withoutControls(`${head} · ${sandboxText}`)}\n`;
  const isDelivered = 'status' in forwarded && forwarded.status >= 200 && forwarded.status <= 299;
  const response = 'status' in forwarded ? `${forwarded.status}` : forwarded.error;
  const outcome = paint(isDelivered ? 'green' : 'red', withoutControls(`→ ${response}, ${forwarded.ms} ms`));
  return `${withoutControls(`${head} · ${sandboxText}`)} ${outcome}\n${hint === undefined ? '' : `    ${hint}\n`}`;
}

const answers: Readonly<Record<AnswerOutcome, string>> = {
  counted: 'counts',
  kept: 'your receiver had taken it: answered again',
  late: 'too late: the attempt was over',
};

/** Returns the target, or all mistakes in the options. The environment supplies only the address and the token. */
function parseListening(
  { url, forwardTo, project, adminToken, apiKey, answer, since, takeover }: ListenTexts,
  environment: Readonly<Record<string, string>>,
): Listening | { readonly mistakes: readonly string[] } {
  const { SANDBOX_URL, SANDBOX_ADMIN_TOKEN, SANDBOX_CALLBACK_SECRET = defaultSecret } = environment;
  const address = url ?? SANDBOX_URL ?? defaultUrl;
  const key = readKey(apiKey, environment);
  const token = adminToken ?? SANDBOX_ADMIN_TOKEN;
  const mistakes = [
    toMistake(url === undefined ? 'SANDBOX_URL' : '--url', checkAddress(address)),
    toMistake('--forward-to', forwardTo === undefined ? undefined : checkUrl(forwardTo)),
    toMistake('--project', project === '' ? 'expected a project id, got an empty value' : undefined),
    toMistake(
      adminToken === undefined ? 'SANDBOX_ADMIN_TOKEN' : '--admin-token',
      token === undefined ? undefined : optionTable.find(({ key }) => key === 'adminToken')?.check?.(token),
    ),
    'mistake' in key ? [key.mistake] : [],
    toMistake('--answer', checkAnswer(answer, project, forwardTo)),
    toMistake('--since', since === '' ? `expected ${sinceHelp}, got an empty value` : undefined),
  ].flat();
  if (mistakes.length > 0 || 'mistake' in key) return { mistakes };
  return {
    url: toBaseUrl(address),
    project,
    forwardTo,
    secret: SANDBOX_CALLBACK_SECRET,
    adminToken: token,
    apiKey: key.apiKey,
    answer: isAnswer(answer) ? answer : undefined,
    since,
    takeover: takeover === true,
  };
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
