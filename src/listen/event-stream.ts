/** Reads server-sent events out of text that comes in pieces; knows nothing of what they tell. */

/** One event as it came. */
export interface SentEvent {
  readonly kind: string;
  /** Its data, which is one line of JSON. */
  readonly text: string;
}

export interface EventReader {
  /** The events that this piece completes. */
  read(piece: string): readonly SentEvent[];
  /** What to come back with: an id counts also where it stands with no data, as in a sandbox's first line. */
  lastId(): string | undefined;
}

/** @param lastId what the stream was asked for with */
export function createEventReader(lastId?: string): EventReader {
  let rest = '';
  let latest = lastId;
  let fields = new Map<string, string>();

  function readLine(line: string): SentEvent | undefined {
    if (line !== '') {
      // A line that begins with a colon is a comment: its name is empty, and nobody asks for it.
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      fields.set(name, value);
      return undefined;
    }
    latest = fields.get('id') ?? latest;
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
    lastId: () => latest,
  };
}
