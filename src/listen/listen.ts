/** Follows a sandbox that runs elsewhere, and gives each attempt at a callback away once, whatever breaks meanwhile. */
import type { WallClock } from '../base/time.ts';
import type { Sender } from '../callbacks/send.ts';
import { createBook } from './book.ts';
import { type ControlAddress, createControl } from './control.ts';
import { createEventReader } from './event-stream.ts';
import { createForwarder } from './forward.ts';
import type { Notice } from './notice.ts';
import { createPatience, type Patience } from './patience.ts';

export interface Listening extends ControlAddress {
  /** Only this project's callbacks; all of them where there is none. */
  readonly project: string | undefined;
  /** Where attempts are forwarded to; they are only told where there is none. */
  readonly forwardTo: string | undefined;
}

interface Parts {
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
  /** Ends it. */
  readonly signal: AbortSignal;
  say(notice: Notice): void;
}

/** Runs until it is ended. @returns why the sandbox will not be listened to, where it says so */
export async function listen(listening: Listening, parts: Parts): Promise<string | undefined> {
  const { url, project, forwardTo } = listening;
  const { wall, say } = parts;
  // One for all that is asked, also where the sandbox refuses and this ends by itself.
  const ending = new AbortController();
  const { signal } = ending;
  parts.signal.addEventListener('abort', () => ending.abort());
  if (parts.signal.aborted) ending.abort();
  const control = createControl(listening, wall, signal);
  const impatient = (): Patience =>
    createPatience(wall, signal, (reason, againInMs) => say({ event: 'waiting', reason, againInMs }));
  const forwarder = createForwarder({ ...parts, forwardTo, signal });
  const book = createBook({ project, control, forwarder, impatient, signal, say });
  const refusal = await book.skip();
  if (refusal !== undefined) return refusal;
  const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`;
  const patience = impatient();
  const shown = { url, ...(project !== undefined && { project }), ...(forwardTo !== undefined && { forwardTo }) };
  let lastId: string | undefined;
  while (!signal.aborted) {
    const reader = createEventReader(lastId);
    let isOpen = false;
    const open = (): void => {
      isOpen = true;
      patience.calm();
      say({ event: 'listening', ...shown });
      // What came between looking and following is in no stream.
      if (lastId === undefined) book.catchUp();
    };
    const ended = await control.follow(`/events${query}`, lastId, (piece) => {
      const events = reader.read(piece);
      if (!isOpen) open();
      for (const event of events) book.read(event);
    });
    lastId = reader.lastId();
    if (signal.aborted) break;
    const reason = 'reason' in ended ? ended.reason : 'it has no events';
    if (ended.kind !== 'failed') {
      ending.abort();
      return reason;
    }
    await patience.wait(reason);
  }
  return undefined;
}
