/** Follows a stream of events for as long as a client wants, also after a lost connection. */
import { Backoff, type Patience } from './backoff.ts';
import { AnswerError, type ControlClient, isTemporary } from './client.ts';
import { EventReader, type SentEvent } from './event-stream.ts';

interface Follower extends Patience {
  /** Called when a connection has begun. */
  opened?(): void;
  /** Reads the events of a piece of the stream, which may be none. An AnswerError ends the connection. */
  read(events: readonly SentEvent[]): Promise<void>;
}

/** Runs until the signal is aborted. @throws AnswerError if the sandbox refuses */
export async function followEvents(
  client: ControlClient,
  path: string,
  { opened, read, ...patience }: Follower,
): Promise<void> {
  const { signal } = patience;
  const backoff = new Backoff(patience);
  let lastId: string | undefined;
  while (!signal.aborted) {
    const reader = new EventReader(lastId);
    let isOpen = false;
    const ended = await client.follow(path, lastId, async (piece) => {
      const events = reader.read(piece);
      if (!isOpen) opened?.();
      isOpen = true;
      await read(events);
      backoff.reset();
    });
    lastId = reader.lastId;
    const failure = ended.cause instanceof AnswerError ? ended.cause.failure : ended;
    if (signal.aborted) return;
    if (!isTemporary(failure)) throw new AnswerError(failure);
    await backoff.wait(failure.message);
  }
}
