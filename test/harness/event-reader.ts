/** Reads server-sent events with fetch, and waits for more. */

/** A received event. */
export interface SeenEvent {
  readonly id: string;
  readonly kind: string;
  readonly data: Record<string, unknown>;
}

export interface EventReader {
  /** Returns the id for `last-event-id`: the id of the last event, or of the first line if there was no event. */
  readonly lastId: () => string | undefined;
  /** Comment lines received so far. */
  readonly comments: readonly string[];
  /** Waits for `count` events, then removes and returns them. */
  take(count: number): Promise<readonly SeenEvent[]>;
  /** Disconnects. */
  leave(): void;
  /** Resolves with the remaining events when the server ends the stream; rejects if the connection breaks. */
  readonly ended: Promise<readonly SeenEvent[]>;
}

/** Opens a stream of events. Resolves at the server's first line, because the reader is subscribed from then on. */
export async function readEvents(
  url: string,
  lastEventId?: string,
  credentials: Readonly<Record<string, string>> = {},
): Promise<EventReader> {
  const disconnecting = new AbortController();
  const headers = { ...credentials, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
  const response = await fetch(url, { headers, signal: disconnecting.signal });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const type = response.headers.get('content-type');
  if (type !== 'text/event-stream') throw new Error(`not a stream of events: ${type}`);
  const events: SeenEvent[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  let lastId: string | undefined;

  function parseBlock(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      if (name === '') comments.push(value);
      else fields.set(name, value);
    }
    lastId = fields.get('id') ?? lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    events.push({ id: fields.get('id') ?? '', kind: fields.get('event') ?? 'message', data: JSON.parse(data) });
  }

  async function readAll(): Promise<readonly SeenEvent[]> {
    const decoder = new TextDecoder();
    let buffer = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (buffer + decoder.decode(chunk, { stream: true })).split('\n\n');
      buffer = blocks.pop() ?? '';
      for (const block of blocks) parseBlock(block);
      for (const check of waiting) check();
    }
    return events;
  }

  function waitUntil(isDone: () => boolean): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((done, failed) => {
      const check = (): void => {
        if (!isDone()) return;
        waiting.delete(check);
        done();
      };
      waiting.add(check);
      ended.then(() => failed(new Error(`the stream ended after ${JSON.stringify(events)}`)), failed);
    });
  }

  const ended = readAll();
  ended.catch(() => undefined);
  await waitUntil(() => comments.length > 0);
  return {
    lastId: () => lastId,
    comments,
    take: async (count) => {
      await waitUntil(() => events.length >= count);
      return events.splice(0, count);
    },
    leave: () => disconnecting.abort(),
    ended,
  };
}
