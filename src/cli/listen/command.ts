/** `field-sandbox listen`: follows a sandbox that runs elsewhere, and forwards its callbacks to a local receiver. */

import { styleText } from 'node:util';
import { createSender } from '../../callbacks/send.ts';
import { defaultSecret } from '../../callbacks/signature.ts';
import { checkUrl } from '../../config/option-checks.ts';
import { optionTable } from '../../config/option-table.ts';
import { readEnvironment } from '../../config/options.ts';
import { escapeControls, withoutControls } from '../../diagnostics/line-excerpt.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { type Io, printTo } from '../frame/io.ts';
import { type Paint, printMistakes } from '../output/text.ts';
import { untilSignal } from '../process/signals.ts';
import { readKey } from '../read-key.ts';
import { checkAddress, defaultUrl, toBaseUrl } from './control.ts';
import { type ListenTarget, listen } from './listen.ts';
import type { AttemptNotice, Notice } from './notice.ts';

/** The command's options, as text. */
export interface ListenTexts {
  readonly url?: string;
  readonly forwardTo?: string;
  readonly project?: string;
  readonly adminToken?: string;
  readonly apiKey?: string;
  readonly printSecret?: true;
}

/** Timeout of a forwarded attempt. It is long because the receiver may be paused in a debugger. */
const receiverTimeoutMs = 30_000;

/** Maximum number of failures that the line of a callback shows. */
const maxShownFailures = 2;

/**
 * Runs until a signal ends it. Prints readable lines in a terminal, otherwise JSON lines.
 * @returns 0; 2 if an option is invalid or the sandbox rejects the request
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
  const listening = listen(parsed, { sender, wall, signal: ending.signal, notify });
  // The reader of the output has closed it, as `head` does.
  io.stdout.once('error', stop);
  // During a backoff nothing else keeps the process alive.
  const keepAlive = setInterval(() => undefined, 60_000);
  try {
    await untilSignal(listening.catch(() => undefined));
    stop();
    const rejection = await listening;
    if (rejection !== undefined) printError(`${parsed.url}: ${withoutControls(rejection)}\n`);
    return rejection === undefined ? 0 : 2;
  } finally {
    clearInterval(keepAlive);
    io.stdout.off('error', stop);
    await sender.close();
  }
}

function toLine(notice: Notice, { stdout }: Pick<Io, 'stdout'>): string {
  switch (notice.event) {
    case 'callback':
      return toAttemptLine(notice, (colour, text) => styleText(colour, text, { stream: stdout }));
    case 'listening': {
      const { url, project, forwardTo } = notice;
      const what = `${project === undefined ? '' : `project ${withoutControls(project)} of `}${url}`;
      return `listening to ${what}${forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`}\n`;
    }
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
  { at, project, type, id, attempt, failed, sandbox, forwarded, hint }: AttemptNotice,
  paint: Paint,
): string {
  const shown = failed.slice(0, maxShownFailures).map((one) => `${one.id || '(no id)'}: ${one.reason}`);
  const more = failed.length > maxShownFailures ? [`and ${failed.length - maxShownFailures} more`] : [];
  const retryText = attempt > 1 ? ` (attempt ${attempt})` : '';
  const head = `${at} ${project} ${type} ${id}${retryText} ${[...shown, ...more].join(', ')}`;
  const sandboxText = sandbox === 'inbox' ? 'in the inbox' : `sandbox: ${sandbox}`;
  if (!forwarded) return `${withoutControls(`${head} · ${sandboxText}`)}\n`;
  const isDelivered = 'status' in forwarded && forwarded.status >= 200 && forwarded.status <= 299;
  const response = 'status' in forwarded ? `${forwarded.status}` : forwarded.error;
  const outcome = paint(isDelivered ? 'green' : 'red', withoutControls(`→ ${response}, ${forwarded.ms} ms`));
  return `${withoutControls(`${head} · ${sandboxText}`)} ${outcome}\n${hint === undefined ? '' : `    ${hint}\n`}`;
}

/** Returns the target, or all mistakes in the options. The environment supplies only the address and the token. */
function parseListening(
  { url, forwardTo, project, adminToken, apiKey }: ListenTexts,
  environment: Readonly<Record<string, string>>,
): ListenTarget | { readonly mistakes: readonly string[] } {
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
  ].flat();
  if (mistakes.length > 0 || 'mistake' in key) return { mistakes };
  return {
    url: toBaseUrl(address),
    project,
    forwardTo,
    secret: SANDBOX_CALLBACK_SECRET,
    adminToken: token,
    apiKey: key.apiKey,
  };
}

function toMistake(name: string, mistake: string | undefined): readonly string[] {
  return mistake === undefined ? [] : [`${name}: ${mistake}`];
}
