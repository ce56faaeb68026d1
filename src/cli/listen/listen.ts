/** Follows a sandbox in another process, and forwards each callback attempt once, even if the connection breaks. */

import type { Sender } from '../../callbacks/send.ts';
import { type Backoff, createBackoff } from '../../client/backoff.ts';
import { createEventReader } from '../../client/event-stream.ts';
import type { WallClock } from '../../lib/time.ts';
import { createCallbackTracker } from './callback-tracker.ts';
import { type ControlAddress, createControl } from './control.ts';
import { createForwarder } from './forward.ts';
import type { Notice } from './notice.ts';

export interface ListenTarget extends ControlAddress {
  /** The project to listen to; undefined for all projects. */
  readonly project: string | undefined;
  /** URL of the receiver; if undefined, attempts are only reported. */
  readonly forwardTo: string | undefined;
  /** Secret of callbacks, for headers that contain it. */
  readonly secret: string;
}

export interface ListenParts {
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
  /** Stops listening. */
  readonly signal: AbortSignal;
  notify(notice: Notice): void;
}

/** Runs until the signal is aborted. @returns why the sandbox rejects the request, if it does */
export async function listen(target: ListenTarget, parts: ListenParts): Promise<string | undefined> {
  const { url, project, forwardTo, secret } = target;
  const { wall, notify } = parts;
  // Ends all requests, also if the sandbox rejects one of them.
  const ending = new AbortController();
  const { signal } = ending;
  parts.signal.addEventListener('abort', () => ending.abort());
  if (parts.signal.aborted) ending.abort();
  const control = createControl(target, wall, signal);
  const newBackoff = (): Backoff =>
    createBackoff(wall, signal, (reason, againInMs) => notify({ event: 'waiting', reason, againInMs }));
  const forwarder = createForwarder({ ...parts, forwardTo, secret, signal });
  const tracker = createCallbackTracker({ project, control, forwarder, createBackoff: newBackoff, signal, notify });
  const rejection = await tracker.skipExisting();
  if (rejection !== undefined) return rejection;
  const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`;
  const backoff = newBackoff();
  const addresses = { url, ...(project !== undefined && { project }), ...(forwardTo !== undefined && { forwardTo }) };
  let lastId: string | undefined;
  while (!signal.aborted) {
    const reader = createEventReader(lastId);
    let isOpen = false;
    const open = (): void => {
      isOpen = true;
      backoff.reset();
      notify({ event: 'listening', ...addresses });
      // Attempts between the listing and the stream's start are in no event.
      if (lastId === undefined) tracker.catchUp();
    };
    const ended = await control.follow(`/events${query}`, lastId, async (piece) => {
      const events = reader.read(piece);
      if (!isOpen) open();
      for (const event of events) await tracker.read(event);
    });
    lastId = reader.lastId();
    if (signal.aborted) break;
    const reason = 'reason' in ended ? ended.reason : 'it has no event stream';
    if (ended.kind !== 'failed') {
      ending.abort();
      return reason;
    }
    await backoff.wait(reason);
  }
  return undefined;
}
