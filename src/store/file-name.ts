/** The name of a project's file, made of its id: no two ids share one, on any file system, and none is out of the way. */
import { createHash } from 'node:crypto';

/** What the name of a world's file ends with. */
export const fileEnding = '.json';

const plain = /^[a-z0-9_-]$/;

/** Windows takes these for devices, whatever follows the first dot. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** File systems take 255 bytes, and what stands beside the file has a longer name. */
const longest = 200;
const shownOfLonger = 120;

/**
 * Every character but a-z, 0-9, `-` and `_` is percent-encoded, so that file systems which ignore case keep ids apart. Of a
 * very long id the beginning is shown, and a hash of all of it.
 */
export function toFileName(id: string): string {
  const encoded = devices.test(id) ? toHex(id.charCodeAt(0)) + id.slice(1) : encode(id);
  if (encoded.length <= longest) return (encoded || '%') + fileEnding;
  const hash = createHash('sha256').update(id).digest('hex');
  return `${encoded.slice(0, shownOfLonger)}~${hash}${fileEnding}`;
}

function encode(id: string): string {
  return Array.from(Buffer.from(id), (byte) => {
    const character = String.fromCharCode(byte);
    return plain.test(character) ? character : toHex(byte);
  }).join('');
}

function toHex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
