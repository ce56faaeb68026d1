/** Reads HTTP archives of browsers, proxies, test tools and of the sandbox itself. */
import { readFile } from 'node:fs/promises';
import { withoutControls } from '../../../diagnostics/line-excerpt.ts';
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
    if (typeof entries === 'string') {
      mistakes.push(`${file}: ${entries}`);
      continue;
    }
    for (const [index, entry] of entries.entries()) {
      const read = readEntry(entry, file, index);
      if ('reason' in read) broken.push(read);
      else exchanges.push(read);
    }
  }
  return mistakes.length > 0 ? { mistakes } : { exchanges: inOrderOfTime(exchanges), broken };
}

/** Returns the entries of an archive, or what is wrong with the file. */
async function readEntries(file: string): Promise<readonly unknown[] | string> {
  let text: string;
  try {
    text = decode(await readFile(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'file not found' : `cannot be read (${code ?? String(error)})`;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The message may quote the file, which may contain secrets and control characters.
    const position = /position \d+( \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0] ?? 'its end';
    return `not an HTTP archive: expected JSON, and it is invalid at ${withoutControls(position)}; export the traffic as HAR`;
  }
  const log = isObject(value) ? value['log'] : undefined;
  const entries = isObject(log) ? log['entries'] : undefined;
  if (Array.isArray(entries)) return entries;
  return `not an HTTP archive: expected an object with "log.entries", got ${describe(value)}; export the traffic as HAR 1.2`;
}

/** Decodes UTF-8 or UTF-16 with an optional byte order mark, which some tools on Windows write. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.subarray(2).toString('utf16le');
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const names = Object.keys(value).slice(0, 5).join(', ');
  return withoutControls(names === '' ? 'an empty object' : `an object with ${names}`);
}

/** Sorts by time. Entries without a time stay after the one before them. */
function inOrderOfTime(exchanges: readonly Exchange[]): readonly Exchange[] {
  let latest = Number.NEGATIVE_INFINITY;
  const timed = exchanges.map((exchange) => {
    latest = exchange.atMs ?? latest;
    return { exchange, atMs: latest };
  });
  return timed.toSorted((a, b) => (a.atMs < b.atMs ? -1 : a.atMs > b.atMs ? 1 : 0)).map(({ exchange }) => exchange);
}
