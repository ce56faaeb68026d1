/** Stores records by id, oldest first. Records of a large import stay as the text of the import until one is read. */
import type { Json } from '../lib/json.ts';

/**
 * A request body that contains many stored records. Thousands of small long-lived objects cost the garbage collector
 * more than parsing them did; one text costs it nothing. The first read parses all records of a batch, once.
 */
export interface Batch {
  at(index: number): Json | undefined;
  /** Average size of a parsed entry on the heap, in bytes. */
  readonly bytesEach: number;
}

/** Creates a batch of the entries under `list` in a JSON text. */
export function createBatch(text: string, list: string, bytesEach: number = 0): Batch {
  return createLazyBatch(() => (JSON.parse(text) as Record<string, readonly Json[]>)[list] ?? [], 0, bytesEach);
}

function createLazyBatch(parse: () => readonly Json[], first: number, bytesEach: number): Batch {
  let source: typeof parse | undefined = parse;
  let values: readonly Json[] = [];
  return {
    bytesEach,
    at: (index) => {
      if (source) values = source();
      // Release the text.
      source = undefined;
      return values[index - first];
    },
  };
}

/** A record that was not read yet: its position in the text, and the fields that the sandbox added. */
class UnreadRecord {
  readonly batch: Batch;
  readonly index: number;
  readonly added: Json;

  constructor(batch: Batch, index: number, added: Json) {
    this.batch = batch;
    this.index = index;
    this.added = added;
  }
}

/** A map of records that accepts unread ones. Callers always get parsed records. */
export class Collection extends Map<string, Json> {
  #unread = 0;

  /** Stores a record as an index into a batch, with the fields that the sandbox added. */
  setUnread(id: string, batch: Batch, index: number, added: Json): void {
    this.#unread += 1;
    super.set(id, new UnreadRecord(batch, index, added) as unknown as Json);
  }

  override get(id: string): Json | undefined {
    const stored = super.get(id);
    return stored instanceof UnreadRecord ? this.#read(id, stored) : stored;
  }

  override values(): MapIterator<Json> {
    this.#readAll();
    return super.values();
  }

  override entries(): MapIterator<[string, Json]> {
    this.#readAll();
    return super.entries();
  }

  override [Symbol.iterator](): MapIterator<[string, Json]> {
    return this.entries();
  }

  override forEach(callback: (value: Json, key: string, map: Map<string, Json>) => void): void {
    this.#readAll();
    super.forEach(callback);
  }

  /** Captures the content for later iteration. A record is parsed only when the iteration reaches it. */
  capture(): Iterable<readonly [string, Json]> {
    return zip([...super.keys()], [...super.values()]);
  }

  #read(id: string, { batch, index, added }: UnreadRecord): Json {
    const record = Object.assign(batch.at(index) ?? {}, added);
    this.#unread -= 1;
    super.set(id, record);
    return record;
  }

  #readAll(): void {
    if (this.#unread === 0) return;
    for (const [id, stored] of super.entries()) if (stored instanceof UnreadRecord) this.#read(id, stored);
    this.#unread = 0;
  }
}

function* zip(ids: readonly string[], values: readonly Json[]): Generator<readonly [string, Json]> {
  for (const [index, id] of ids.entries()) {
    const stored = values[index] as Json | UnreadRecord;
    yield [id, stored instanceof UnreadRecord ? { ...stored.batch.at(stored.index), ...stored.added } : stored];
  }
}
