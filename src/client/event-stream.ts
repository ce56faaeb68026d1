/** Parses server-sent events from a stream of text pieces. */

/** An event of the stream. Its data is one line of JSON. */
export interface SentEvent {
  readonly kind: string;
  readonly text: string;
}

export interface EventReader {
  /** Returns the events that this piece completes. @throws Error if a line is too long */
  read(piece: string): readonly SentEvent[];
  /** Returns the `Last-Event-ID` for a reconnect. An id without data counts too: a sandbox sends one first. */
  lastId(): string | undefined;
}

/** Maximum length of a line, in characters. An endless line would fill the memory. */
const maxLineLength = 1_000_000;

/** @param lastId the `Last-Event-ID` that the stream was requested with */
export function createEventReader(lastId?: string): EventReader {
  let rest = '';
  let latestId = lastId;
  let fields: { id?: string; event?: string; data?: string } = {};

  function readLine(line: string): readonly SentEvent[] {
    if (line !== '') {
      // Comments begin with a colon, and are ignored like other fields.
      const [, name, value = ''] = /^(id|event|data)(?:: ?(.*))?$/.exec(line) ?? [];
      if (name !== undefined) fields = { ...fields, [name]: value };
      return [];
    }
    const { id = latestId, event = 'message', data } = fields;
    latestId = id;
    fields = {};
    return data === undefined ? [] : [{ kind: event, text: data }];
  }

  return {
    read: (piece) => {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxLineLength) throw new Error('an event is longer than 1 MB');
      return lines.flatMap((line) => readLine(line.replace(/\r$/, '')));
    },
    lastId: () => latestId,
  };
}
