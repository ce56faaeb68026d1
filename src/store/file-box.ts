/** A lowdb adapter that keeps one value in one file, and beside it a log of what has changed since. */
import type { Adapter } from 'lowdb';
import type { Disk } from './disk.ts';

export interface FileBox<Data> extends Adapter<Data> {
  /** What is kept, at once; undefined where there is nothing. @throws where it can't be read */
  load(): Data | undefined;
  /** Takes the file away. */
  remove(): Promise<void>;
}

/** How a value is written. Both are called in one go with what they are given, and waited for by nobody. */
export interface Codec<Data> {
  /** All of it, as an edition that lines of the log go on from. */
  toText(data: Data, edition: string): string;
  /** What has changed since either was called; undefined where that needs all of it. */
  toLine(data: Data, edition: string): string | undefined;
  /** @throws where the texts are none of those */
  fromTexts(text: string, log: string): Data;
}

interface Parts<Data> extends Codec<Data> {
  readonly disk: Disk;
  readonly file: string;
  /** Names a text as none before it was. */
  nextEdition(): string;
}

/** What the name of a log ends with. */
export const logEnding = '.log';

/** A log may grow to the length of its text, and to this in any case, in characters. */
const leastFolded = 256 * 1024;

/** A box whose first write is whole. */
export function createFileBox<Data>(parts: Parts<Data>): FileBox<Data> {
  const { disk, file, toText, toLine, fromTexts, nextEdition } = parts;
  const log = file + logEnding;
  /** The text that lines can go on from; undefined where nobody knows what is in the files. */
  let written: { readonly edition: string; readonly length: number; logged: number } | undefined;

  async function write(data: Data): Promise<void> {
    const known = written;
    const line = known && known.logged < Math.max(known.length, leastFolded) ? toLine(data, known.edition) : undefined;
    // What fails has left no one knows what, so the next is whole.
    written = undefined;
    // Lines go on from a text: where somebody has taken that away, they would be of nothing.
    if (!known || line === undefined || !(await disk.has(file))) {
      written = await writeWhole(data);
      return;
    }
    await disk.append(log, line);
    written = known;
    known.logged += line.length;
  }

  async function writeWhole(data: Data): Promise<typeof written> {
    const edition = nextEdition();
    const text = toText(data, edition);
    await disk.replace(file, text);
    // Its lines go on from a text that is no more, so it does no harm where it stays.
    await disk.remove(log).catch(() => undefined);
    return { edition, length: text.length, logged: 0 };
  }

  function load(): Data | undefined {
    const text = disk.read(file);
    return text === undefined ? undefined : fromTexts(text, disk.read(log) ?? '');
  }

  return {
    load,
    read: async () => load() ?? null,
    write,
    remove: async () => {
      written = undefined;
      await disk.remove(file);
      await disk.remove(log);
    },
  };
}
