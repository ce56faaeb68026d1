/** A reader of server-sent events over fetch: what came so far, and waiting for more. */

/** One event as it came. */
export interface SeenEvent {
  readonly id: string;
  readonly kind: string;
  readonly data: Record<string, unknown>;
}

export interface EventReader {
  /** The id to come back with: of the last event, or that which the first line told. */
  readonly lastId: () => string | undefined;
  /** Comment lines so far. */
  readonly comments: readonly string[];
  /** The next events that were not taken yet, once there are so many. */
  take(count: number): Promise<readonly SeenEvent[]>;
  leave(): void;
  /** Resolves when the server has ended the stream, with what was not taken; rejects where it was cut off. */
  readonly ended: Promise<readonly SeenEvent[]>;
}

/** Resolves when the server follows, which is when its first line has come. */
export async function readEvents(url: string, lastEventId?: string): Promise<EventReader> {
  const leaving = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await fetch(url, { headers, signal: leaving.signal });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const type = response.headers.get('content-type');
  if (type !== 'text/event-stream') throw new Error(`not a stream of events: ${type}`);
  const events: SeenEvent[] = [];
  const comments: string[] = [];
  const waiting = new Set<() => void>();
  let lastId: string | undefined;

  function see(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
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
    let rest = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) see(block);
      for (const look of waiting) look();
    }
    return events;
  }

  function until(enough: () => boolean): Promise<void> {
    if (enough()) return Promise.resolve();
    return new Promise((done, failed) => {
      const look = (): void => {
        if (!enough()) return;
        waiting.delete(look);
        done();
      };
      waiting.add(look);
      ended.then(() => failed(new Error(`the stream ended after ${JSON.stringify(events)}`)), failed);
    });
  }

  const ended = readAll();
  ended.catch(() => undefined);
  await until(() => comments.length > 0);
  return {
    lastId: () => lastId,
    comments,
    take: async (count) => {
      await until(() => events.length >= count);
      return events.splice(0, count);
    },
    leave: () => leaving.abort(),
    ended,
  };
}
