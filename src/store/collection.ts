/** Records by id, oldest first; those of a large import are kept as the text they came in until somebody looks at one. */
import type { Json } from '../base/json.ts';

/**
 * A request's body, of which many records are kept. Thousands of small objects that live on cost the garbage collector
 * more than parsing them did; one text costs it nothing. At the first look all of them are parsed, once.
 */
export interface Batch {
  /** The values of its entries, by their place in the list. */
  values(): readonly Json[];
}

/** A batch of the entries that stand under `list` in a JSON text. */
export function createBatch(text: string, list: string): Batch {
  let source: string | undefined = text;
  let values: readonly Json[] = [];
  return {
    values: () => {
      if (source !== undefined) values = (JSON.parse(source) as Record<string, readonly Json[]>)[list] ?? [];
      source = undefined;
      return values;
    },
  };
}

/** A record that has not been looked at: where its fields are, and what the sandbox added to them. */
class Unread {
  readonly batch: Batch;
  readonly index: number;
  readonly added: Json;

  constructor(batch: Batch, index: number, added: Json) {
    this.batch = batch;
    this.index = index;
    this.added = added;
  }
}

/** A map of records that can be given some unread; whoever gets one never sees the difference. */
export class Collection extends Map<string, Json> {
  #unread = 0;

  /** Keeps a record as a place in a batch, and what was added to what stands there. */
  setUnread(id: string, batch: Batch, index: number, added: Json): void {
    this.#unread += 1;
    super.set(id, new Unread(batch, index, added) as unknown as Json);
  }

  override get(id: string): Json | undefined {
    const kept = super.get(id);
    return kept instanceof Unread ? this.#read(id, kept) : kept;
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

  #read(id: string, { batch, index, added }: Unread): Json {
    const record = Object.assign(batch.values()[index] ?? {}, added);
    this.#unread -= 1;
    super.set(id, record);
    return record;
  }

  #readAll(): void {
    if (this.#unread === 0) return;
    for (const [id, kept] of super.entries()) if (kept instanceof Unread) this.#read(id, kept);
    this.#unread = 0;
  }
}
