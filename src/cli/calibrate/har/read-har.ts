/** Reads HTTP archives of browsers, proxies, test tools and of the sandbox itself. */
import { readTextFile } from '../../../lib/text-file.ts';
import { type BrokenEntry, type Exchange, isObject } from '../exchange.ts';
import { createEntryReader } from './entry.ts';

/** The usable exchanges in the order of their times, and the entries that cannot be used. */
export interface Traffic {
  readonly exchanges: readonly Exchange[];
  readonly broken: readonly BrokenEntry[];
}

/** Reads archives. Returns a mistake for each file that is no archive. */
export async function readTraffic(
  files: readonly string[],
): Promise<Traffic | { readonly mistakes: readonly string[] }> {
  const exchanges: Exchange[] = [];
  const broken: BrokenEntry[] = [];
  const mistakes: string[] = [];
  // One reader for all files, because the keys are numbered across files.
  const readEntry = createEntryReader();
  for (const file of files) {
    const entries = await readEntries(file);
    if (typeof entries === 'string') mistakes.push(`${file}: ${entries}`);
    else
      for (const [index, entry] of entries.entries()) {
        const read = await readEntry(entry, file, index);
        if ('reason' in read) broken.push(read);
        else exchanges.push(read);
      }
  }
  return mistakes.length > 0 ? { mistakes } : { exchanges: inOrderOfTime(exchanges), broken };
}

/** Returns the entries of an archive, or what is wrong with the file. */
async function readEntries(file: string): Promise<readonly unknown[] | string> {
  const read = await readTextFile(file);
  if ('reason' in read) return read.reason;
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch (error) {
    // The message may quote the file, which may contain secrets and control characters.
    const position = /position \d+( \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0] ?? 'its end';
    return `not an HTTP archive: expected JSON, and it is invalid at ${position}; export the traffic as HAR`;
  }
  const log = isObject(value) ? value['log'] : undefined;
  const entries = isObject(log) ? log['entries'] : undefined;
  if (Array.isArray(entries)) return entries;
  return 'not an HTTP archive: expected an object with "log.entries"; export the traffic as HAR 1.2';
}

/** Sorts by time. Entries without a time stay after the one before them. */
function inOrderOfTime(exchanges: readonly Exchange[]): readonly Exchange[] {
  let latest = 0;
  const timed = exchanges.map((exchange) => {
    latest = exchange.atMs ?? latest;
    return { exchange, atMs: latest };
  });
  return timed.toSorted((a, b) => a.atMs - b.atMs).map(({ exchange }) => exchange);
}
