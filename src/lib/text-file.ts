/** Reads text files in the encodings that editors and shells write, and explains what it cannot read. */
import type { Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** The text of a file, or why it cannot be read, with the code of the system's error if there is one. */
export type ReadText = { readonly text: string } | { readonly reason: string; readonly code?: string | undefined };

export const specialFile = 'expected a regular file, got a pipe, device or socket; save its content to a file';

/** Opening a pipe waits for its writer, and a device may never end. A folder has an error of its own. */
function isSpecial(found: Pick<Stats, 'isFile' | 'isDirectory'>): boolean {
  return !found.isFile() && !found.isDirectory();
}

/** Returns the pipes, devices and sockets in a folder, and the links to some. */
export async function findSpecialFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter(isSpecial).map(({ name }) => path.join(folder, name));
  const found = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return files.filter((_file, index) => found[index] && isSpecial(found[index]));
}

/** Reads a file as UTF-8, or as UTF-16 with a byte order mark. The text has no such mark. */
export async function readTextFile(file: string): Promise<ReadText> {
  try {
    if (isSpecial(await stat(file))) return { reason: specialFile };
    return decodeText(await readFile(file));
  } catch (error) {
    return { reason: toReadReason(error), code: (error as NodeJS.ErrnoException).code };
  }
}

function decodeText(bytes: Buffer): ReadText {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const encoding = isLittle ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { text };
  } catch {
    // Reported below, with the place.
  }
  const shown = new TextDecoder(encoding).decode(bytes);
  const before = shown.slice(0, shown.search(/[\0\ufffd]/)).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  return { reason: `${place}: expected UTF-8 text, or UTF-16 with a byte order mark; save the file as UTF-8` };
}

/** Explains the error of reading a file or folder, such as `file not found`. */
export function toReadReason(error: unknown, kind: 'file' | 'folder' = 'file'): string {
  const { code = String(error) } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `${kind} not found`;
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'expected a file, got a folder';
  return code === 'ENOTDIR' && kind === 'folder' ? 'expected a folder, got a file' : `cannot be read (${code})`;
}
