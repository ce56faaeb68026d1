/**
 * Lines of JSON with checksums, so that a changed, lost, doubled or moved line is noticed. Each line begins with the
 * checksum of its other members, which continues that of the line before it.
 */
import { crc32 } from 'node:zlib';

/** Thrown for a line that is not as it was written, with the reason. */
export class DamagedLine extends Error {}

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
 * Reads a line that `seal` wrote.
 * @throws DamagedLine
 */
export function unseal(line: string, before: number): { readonly value: object; readonly crc: number } {
  if (!line.endsWith('\n')) throw new DamagedLine('it is cut off');
  const [head = '', written] = opening.exec(line) ?? [];
  if (written === undefined) throw new DamagedLine('it has no checksum');
  const members = line.slice(head.length, -1);
  const crc = crc32(members, before);
  if (toHex(crc) !== written) throw new DamagedLine('its checksum does not fit');
  return { value: JSON.parse(`{${members}`) as object, crc };
}

export function toHex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}
