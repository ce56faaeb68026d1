/** Follows a stream of events for as long as a client wants, also after a lost connection. */
import { Backoff, type Patience } from './backoff.ts';
import { AnswerError, type ControlClient, isTemporary } from './client.ts';
import { EventReader, type SentEvent } from './event-stream.ts';

interface Follower extends Patience {
  /** Called when a connection has begun. */
  opened?(): void;
  /**
   * Reads the events of a piece of the stream, which may be none. `lastId`: the last id of the stream; `lost` is aborted
   * when the connection has ended. An AnswerError ends it.
   */
  read(events: readonly SentEvent[], lastId: string | undefined, lost: AbortSignal): Promise<void>;
}

/** Runs until the signal is aborted. `path`: may depend on the last id. @throws AnswerError if the sandbox refuses */
export async function followEvents(
  client: ControlClient,
  path: string | ((lastId: string | undefined) => string),
  { opened, read, ...patience }: Follower,
): Promise<void> {
  const { signal } = patience;
  const backoff = new Backoff(patience);
  let lastId: string | undefined;
  while (!signal.aborted) {
    const reader = new EventReader(lastId);
    const connection = new AbortController();
    let isOpen = false;
    const at = typeof path === 'string' ? path : path(lastId);
    const ended = await client.follow(at, lastId, async (piece) => {
      const events = reader.read(piece);
      if (!isOpen) opened?.();
      isOpen = true;
      await read(events, reader.lastId, connection.signal);
      lastId = reader.lastId;
      backoff.reset();
    });
    connection.abort();
    const failure = ended.cause instanceof AnswerError ? ended.cause.failure : ended;
    if (signal.aborted) return;
    if (!isTemporary(failure)) throw new AnswerError(failure);
    await backoff.wait(failure.message);
  }
}
