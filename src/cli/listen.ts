/** `field-sandbox listen`: follows a sandbox that runs elsewhere, and forwards its callbacks to a local receiver. */
import { styleText } from 'node:util';
import { escapeControls } from '../base/line-excerpt.ts';
import { createWallClock, type WallClock } from '../base/time.ts';
import { createSender } from '../callbacks/send.ts';
import { defaultSecret } from '../callbacks/signature.ts';
import { listen } from '../listen/listen.ts';
import type { AttemptNotice, Notice } from '../listen/notice.ts';
import { readEnvironment } from '../options.ts';
import { untilSignal } from './child.ts';
import { type ListenTexts, parseListening } from './listen-options.ts';
import { printable } from './log.ts';

/** What the command speaks to. */
export interface ListenPlace {
  print(text: string): void;
  complain(text: string): void;
  /** Lines for people; else JSON. */
  readonly isTerminal: boolean;
  /** Ends it, beside the signals of the process. */
  readonly signal?: AbortSignal;
  readonly wall?: WallClock;
}

/** A receiver may stand still in a debugger for a while. */
const receiverMs = 30_000;

/** The most failures of a callback that its line names. */
const mostNamed = 2;

/** Runs until it is told to end. @returns 0; 2 where an option is wrong or the sandbox will not be listened to */
export async function runListen(texts: ListenTexts, place: ListenPlace): Promise<number> {
  const { print, complain, isTerminal, wall = createWallClock() } = place;
  if (texts.printSecret) {
    print(`${defaultSecret}\n`);
    complain(
      'of projects without a secret of their own; one that was set is known to whoever set it, and never shown\n',
    );
    return 0;
  }
  const parsed = parseListening(texts, readEnvironment());
  if ('mistakes' in parsed) {
    complain(`${parsed.mistakes.join('\n')}\n`);
    return 2;
  }
  const ending = new AbortController();
  const stop = (): void => ending.abort();
  place.signal?.addEventListener('abort', stop);
  const say = (notice: Notice): void =>
    print(isTerminal ? toLine(notice) : escapeControls(`${JSON.stringify(notice)}\n`));
  const sender = createSender({ allow: [], timeoutMs: receiverMs });
  const listened = listen(parsed, { sender, wall, signal: ending.signal, say });
  // Nobody reads any more, or whoever sits there has had enough.
  process.stdout.once('error', stop);
  // While it waits to ask again nothing else would keep the process.
  const awake = setInterval(() => undefined, 60_000);
  try {
    await untilSignal(listened.catch(() => undefined));
    stop();
    const refusal = await listened;
    if (refusal !== undefined) complain(`${parsed.url}: ${printable(refusal)}\n`);
    return refusal === undefined ? 0 : 2;
  } finally {
    clearInterval(awake);
    process.stdout.off('error', stop);
    await sender.close();
  }
}

function toLine(notice: Notice): string {
  switch (notice.event) {
    case 'callback':
      return toAttemptLine(notice);
    case 'listening': {
      const { url, project, forwardTo } = notice;
      const what = `${project === undefined ? '' : `project ${printable(project)} of `}${url}`;
      return `listening to ${what}${forwardTo === undefined ? '' : `, forwarding to ${forwardTo}`}\n`;
    }
    case 'waiting':
      return `the sandbox can't be asked: ${printable(notice.reason)}; again in ${notice.againInMs / 1000} s\n`;
    case 'missed':
      return `events were lost, so all callbacks are looked through: ${printable(notice.reason)}\n`;
    case 'gone':
      return `${printable(`${notice.project} ${notice.id} is gone: its project was reset before it could be read`)}\n`;
    default:
      return notice satisfies never;
  }
}

function toAttemptLine({ at, project, type, id, attempt, failed, sandbox, forwarded, hint }: AttemptNotice): string {
  const named = failed.slice(0, mostNamed).map((one) => `${one.id || '(no id)'}: ${one.reason}`);
  const more = failed.length > mostNamed ? [`and ${failed.length - mostNamed} more`] : [];
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const head = `${at} ${project} ${type} ${id}${again} ${[...named, ...more].join(', ')}`;
  const own = sandbox === 'inbox' ? 'in the inbox' : `sandbox: ${sandbox}`;
  if (!forwarded) return `${printable(`${head} · ${own}`)}\n`;
  const isTaken = 'status' in forwarded && forwarded.status >= 200 && forwarded.status <= 299;
  const answer = 'status' in forwarded ? `${forwarded.status}` : forwarded.error;
  const outcome = styleText(isTaken ? 'green' : 'red', printable(`→ ${answer}, ${forwarded.ms} ms`), {
    stream: process.stdout,
  });
  return `${printable(`${head} · ${own}`)} ${outcome}\n${hint === undefined ? '' : `    ${hint}\n`}`;
}
