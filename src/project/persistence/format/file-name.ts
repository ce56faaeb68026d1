/** Converts a project id to a file name that is unique and valid on any file system. */
import { createHash } from 'node:crypto';

export const fileEnding = '.json';

const plain = /^[a-z0-9_-]$/;

/** Names that Windows reserves for devices, with any extension. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Maximum length of an encoded id, in bytes. File systems allow 255, with the ending. */
const maxLength = 200;
const shownLength = 120;

/**
 * Converts a project id to a file name. Every character except a-z, 0-9, `-` and `_` is percent-encoded, so that file
 * systems that ignore case keep ids apart. The name of a very long id contains its beginning and a hash of all of it.
 */
export function toFileName(id: string, ending: string = fileEnding): string {
  const encoded = devices.test(id) ? toHex(id.charCodeAt(0)) + id.slice(1) : encode(id);
  if (encoded.length <= maxLength) return (encoded || '%') + ending;
  // UTF-8 has one replacement for all lone surrogates.
  const hash = createHash('sha256')
    .update(loneSurrogates.test(id) ? encoded : id)
    .digest('hex');
  return `${encoded.slice(0, shownLength)}~${hash}${ending}`;
}

const loneSurrogates = /\p{Surrogate}/u;

function encode(id: string): string {
  return Array.from(id, (character) => {
    if (plain.test(character)) return character;
    if (loneSurrogates.test(character)) return `%u${character.charCodeAt(0).toString(16)}`;
    return Array.from(Buffer.from(character), toHex).join('');
  }).join('');
}

function toHex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
