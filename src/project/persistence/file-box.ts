/** Implements a lowdb adapter that stores one value in one file, and a log of its changes next to it. */
import type { Adapter } from 'lowdb';
import type { Disk } from './folder/disk.ts';

export interface FileBox<Data> extends Adapter<Data> {
  /**
   * Reads the value synchronously. Returns undefined if there is none.
   * @throws Error if the file cannot be read
   */
  load(): Data | undefined;
  remove(): Promise<void>;
}

/** Converts a value to text in pieces, each created on request from the value at the time of the call. */
export interface Codec<Data> {
  /** Converts the whole value. */
  toText(data: Data): Iterable<string>;
  /** Converts the changes since the last conversion, or returns undefined if the whole value must be written. */
  toLines(data: Data): Iterable<string> | undefined;
  /**
   * Reads a value back.
   * @throws Error if the lines are not those of this codec
   */
  fromLines(text: Iterable<string>, log: Iterable<string>): Data;
}

interface Parts<Data> extends Codec<Data> {
  readonly disk: Disk;
  readonly file: string;
}

export const logEnding = '.log';

/** Maximum length of a log before the file is rewritten, in characters, unless the file is longer. */
const minLogLength = 256 * 1024;

/** Creates a file box. Its first write writes the whole value. */
export function createFileBox<Data>(parts: Parts<Data>): FileBox<Data> {
  const { disk, file, toText, toLines, fromLines } = parts;
  const log = file + logEnding;
  /** The lengths of the file and its log. Undefined if their content is unknown. */
  let lastWrite: { readonly length: number; logLength: number } | undefined;

  async function write(data: Data): Promise<void> {
    const previous = lastWrite;
    const lines = previous && previous.logLength < Math.max(previous.length, minLogLength) ? toLines(data) : undefined;
    // After a failure the content of the files is unknown, so the next write is a whole one.
    lastWrite = undefined;
    // Lines need the file that they follow. Somebody may have removed it.
    if (!previous || lines === undefined || !(await disk.has(file))) {
      lastWrite = await writeWhole(data);
      return;
    }
    const measured = measure(lines);
    await disk.append(log, measured.text);
    lastWrite = previous;
    previous.logLength += measured.length();
  }

  async function writeWhole(data: Data): Promise<typeof lastWrite> {
    const measured = measure(toText(data));
    await disk.replace(file, measured.text);
    // The lines of the old log follow an old file, so it does no harm if it stays. But do not append to it: a server
    // that held the folder before may have it open.
    const isRemoved = await disk.discard(log).then(
      () => true,
      () => false,
    );
    return isRemoved ? { length: measured.length(), logLength: 0 } : undefined;
  }

  function load(): Data | undefined {
    const text = disk.lines(file);
    return text && fromLines(text, disk.lines(log) ?? []);
  }

  return {
    load,
    read: async () => load() ?? null,
    write,
    remove: async () => {
      lastWrite = undefined;
      await disk.remove(file);
      // The log is not valid without its file.
      await disk.discard(log);
    },
  };
}

/** Counts the characters of a text while it is iterated. */
function measure(text: Iterable<string>): { readonly text: Iterable<string>; length(): number } {
  let length = 0;
  function* count(): Generator<string> {
    for (const piece of text) {
      length += piece.length;
      yield piece;
    }
  }
  return { text: count(), length: () => length };
}
