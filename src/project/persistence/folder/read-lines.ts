/** Reads the lines of a file one at a time, because a file may be longer than the maximum length of a string. */
import { closeSync, openSync, readSync } from 'node:fs';

const bufferBytes = 1024 * 1024;
const newline = 10;

/**
 * Returns the lines of a file, each with its line end, which the last one may lack. Returns undefined if the file does
 * not exist.
 * @throws Error with a `code` if the file cannot be read
 */
export function readLines(file: string): Iterable<string> | undefined {
  try {
    return toLines(openSync(file, 'r'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Starts to read when the first line is requested, and closes the file at the end. */
function* toLines(descriptor: number): Generator<string> {
  try {
    let parts: Buffer[] = [];
    for (;;) {
      const buffer = Buffer.allocUnsafe(bufferBytes);
      const read = buffer.subarray(0, readSync(descriptor, buffer));
      if (read.length === 0) break;
      let from = 0;
      for (let end = read.indexOf(newline); end >= 0; end = read.indexOf(newline, from)) {
        parts.push(read.subarray(from, end + 1));
        // Decode only complete lines: a character may span two buffers.
        yield Buffer.concat(parts).toString('utf8');
        parts = [];
        from = end + 1;
      }
      if (from < read.length) parts.push(read.subarray(from));
    }
    if (parts.length > 0) yield Buffer.concat(parts).toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
