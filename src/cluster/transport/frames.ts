/** Messages between replicas: one line of JSON, then a text of any length. */

export interface Frame {
  readonly head: unknown;
  readonly text: string;
}

const newline = 0x0a;

export function toFrame(head: unknown, text = ''): string {
  return `${JSON.stringify(head)}\n${text}`;
}

/** @throws SyntaxError if the first line is not JSON */
export function readFrame(bytes: Buffer): Frame {
  const end = bytes.indexOf(newline);
  return { head: JSON.parse(bytes.toString('utf8', 0, end)), text: bytes.toString('utf8', end + 1) };
}
