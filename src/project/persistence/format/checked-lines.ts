/**
 * Lines of JSON with checksums, so that a changed, lost, doubled or moved line is noticed. Each line begins with the
 * checksum of its other members, which continues that of the line before it.
 */
import { crc32 } from 'node:zlib';

/** Thrown for a file that cannot be used, with the line and the reason. */
export class DamagedFile extends Error {}

const opening = /^\{"crc":"([0-9a-f]{8})",/;

/** Returns the value from which the checksums of a project's lines start: lines of one project are damage in another. */
export function startOf(project: string): number {
  return crc32(project);
}

/** Adds the checksum to the text of a JSON object that has members. Returns the line, and what the next continues. */
export function seal(object: string, before: number): { readonly line: string; readonly crc: number } {
  const members = object.slice(1);
  const crc = crc32(members, before);
  return { line: `{"crc":"${toHex(crc)}",${members}\n`, crc };
}

/**
 * Reads a line that `seal` wrote. `number`: its number in its file, for the message.
 * @throws DamagedFile
 */
export function unseal(line: string, before: number, number: number): { readonly value: object; readonly crc: number } {
  if (!line.endsWith('\n')) throw new DamagedFile(`line ${number}: it is cut off`);
  const [head = '', written] = opening.exec(line) ?? [];
  if (written === undefined) throw new DamagedFile(`line ${number}: it has no checksum`);
  const members = line.slice(head.length, -1);
  const crc = crc32(members, before);
  if (toHex(crc) !== written) throw new DamagedFile(`line ${number}: its checksum does not fit`);
  return { value: JSON.parse(`{${members}`) as object, crc };
}

function toHex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}
