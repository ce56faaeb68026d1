/** Parses server-sent events from a stream of text pieces. */
import { AnswerError } from './client.ts';

/** An event of the stream. Its data is one line of JSON. */
export interface SentEvent {
  readonly kind: string;
  readonly text: string;
}

/** Maximum length of a line, in characters: more than a callback of 10,000 failures. An endless one would fill the memory. */
const maxLineLength = 16_000_000;

export class EventReader {
  #rest = '';
  #lastId: string | undefined;
  #fields: { id?: string; event?: string; data?: string } = {};

  /** @param lastId the `Last-Event-ID` that the stream was requested with */
  constructor(lastId?: string) {
    this.#lastId = lastId;
  }

  /** The `Last-Event-ID` for a reconnect. An id without data counts too: a sandbox sends one first. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Returns the events that this piece completes. @throws AnswerError if a line is too long */
  read(piece: string): readonly SentEvent[] {
    const [first = '', ...others] = piece.split('\n');
    const lines = [this.#rest + first, ...others];
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > maxLineLength)
      throw new AnswerError({ ok: false, reason: 'foreign', message: 'an event is longer than 16 MB' });
    return lines.flatMap((line) => this.#readLine(line.replace(/\r$/, '')));
  }

  #readLine(line: string): readonly SentEvent[] {
    if (line !== '') {
      // Comments begin with a colon, and are ignored like other fields.
      const [, name, value = ''] = /^(id|event|data)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name !== undefined) this.#fields = { ...this.#fields, [name]: value };
      return [];
    }
    const { id = this.#lastId, event = 'message', data } = this.#fields;
    this.#lastId = id;
    this.#fields = {};
    return data === undefined ? [] : [{ kind: event, text: data }];
  }
}
