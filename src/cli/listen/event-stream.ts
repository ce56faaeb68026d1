/** Parses server-sent events from a stream of text pieces. */

/** An event of the stream. */
export interface SentEvent {
  readonly kind: string;
  /** Its data: one line of JSON. */
  readonly text: string;
}

export interface EventReader {
  /** Returns the events that this piece completes. */
  read(piece: string): readonly SentEvent[];
  /** Returns the `Last-Event-ID` for a reconnect. An id without data counts too: a sandbox sends one first. */
  lastId(): string | undefined;
}

/** @param lastId the `Last-Event-ID` that the stream was requested with */
export function createEventReader(lastId?: string): EventReader {
  let rest = '';
  let latestId = lastId;
  let fields = new Map<string, string>();

  function readLine(line: string): SentEvent | undefined {
    if (line !== '') {
      // A line that begins with a colon is a comment: its field has an empty name, and is ignored.
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      fields.set(name, value);
      return undefined;
    }
    latestId = fields.get('id') ?? latestId;
    const text = fields.get('data');
    const kind = fields.get('event') ?? 'message';
    fields = new Map();
    return text === undefined ? undefined : { kind, text };
  }

  return {
    read: (piece) => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      return lines.map((line) => readLine(line.replace(/\r$/, ''))).filter((event) => event !== undefined);
    },
    lastId: () => latestId,
  };
}
