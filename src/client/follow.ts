/** Follows a stream of events for as long as a client wants, also after a lost connection. */
import { Backoff, type Patience } from './backoff.ts';
import { type ControlClient, type Failure, isTemporary } from './client.ts';
import { EventReader, type SentEvent } from './event-stream.ts';

interface Follower extends Patience {
  /** Called when a connection has begun. */
  opened?(): void;
  /** Reads the events of a piece of the stream, which may be none. A failure ends the connection. */
  read(events: readonly SentEvent[]): Promise<Failure | undefined>;
}

/** Runs until the signal is aborted. @returns why the sandbox refuses, if it does */
export async function followEvents(
  client: ControlClient,
  path: string,
  { opened, read, ...patience }: Follower,
): Promise<Failure | undefined> {
  const { signal } = patience;
  const backoff = new Backoff(patience);
  let lastId: string | undefined;
  while (!signal.aborted) {
    const reader = new EventReader(lastId);
    let isOpen = false;
    let failed: Failure | undefined;
    const ended = await client.follow(path, lastId, async (piece) => {
      const events = reader.read(piece);
      if (!isOpen) opened?.();
      isOpen = true;
      failed = await read(events);
      if (failed) throw new Error(failed.message);
      backoff.reset();
    });
    lastId = reader.lastId;
    const failure = failed ?? ended;
    if (signal.aborted) return undefined;
    if (!isTemporary(failure)) return failure;
    await backoff.wait(failure.message);
  }
  return undefined;
}
