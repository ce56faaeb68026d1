/** A lowdb adapter that keeps one value in one file. */
import type { Adapter } from 'lowdb';
import type { Disk } from './disk.ts';

export interface FileBox<Data> extends Adapter<Data> {
  /** What the file holds, at once; undefined where there is none. @throws where it can't be read */
  load(): Data | undefined;
  /** Takes the file away. */
  remove(): Promise<void>;
}

interface Parts<Data> {
  readonly disk: Disk;
  readonly file: string;
  toText(data: Data): string;
  /** @throws where the text is none of `toText` */
  fromText(text: string): Data;
}

export function createFileBox<Data>({ disk, file, toText, fromText }: Parts<Data>): FileBox<Data> {
  function load(): Data | undefined {
    const text = disk.read(file);
    return text === undefined ? undefined : fromText(text);
  }

  return {
    load,
    read: async () => load() ?? null,
    write: (data) => disk.replace(file, toText(data)),
    remove: () => disk.remove(file),
  };
}
