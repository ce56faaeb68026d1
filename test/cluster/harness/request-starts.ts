/** Finds where requests start in the bytes that an HTTP/1.1 client sends. */

/** Takes the next bytes of a connection, and returns the offsets at which a request starts. */
export type RequestScanner = (chunk: Buffer) => readonly number[];

/** What the next bytes are. Lines of a chunked body are `size`, the line after each chunk, and `trailer`. */
type Part = 'start' | 'head' | 'body' | 'size' | 'chunk' | 'trailer';

/** Creates a scanner for one connection. Bytes that are not HTTP count as the head of one endless request. */
export function createRequestScanner(): RequestScanner {
  let part: Part = 'start';
  let text = '';
  let remaining = 0;

  /** Takes bytes up to the end of a text, such as a line; returns how many. */
  function takeUntil(end: string, chunk: Buffer, from: number, then: (taken: string) => void): number {
    const before = text.length;
    text += chunk.toString('latin1', from);
    const at = text.indexOf(end, Math.max(0, before - end.length + 1));
    if (at === -1) return chunk.length - from;
    const taken = text.slice(0, at);
    text = '';
    then(taken);
    return at + end.length - before;
  }

  function takeData(chunk: Buffer, from: number, next: Part): number {
    const taken = Math.min(remaining, chunk.length - from);
    remaining -= taken;
    if (remaining === 0) part = next;
    return taken;
  }

  function take(chunk: Buffer, from: number): number {
    switch (part) {
      case 'start':
        part = 'head';
        return 0;
      case 'head':
        return takeUntil('\r\n\r\n', chunk, from, (head) => {
          const length = Number(/\r\ncontent-length:[ \t]*(\d+)/i.exec(head)?.[1] ?? 0);
          remaining = length;
          part = length > 0 ? 'body' : 'start';
          if (/\r\ntransfer-encoding:.*chunked/i.test(head)) part = 'size';
        });
      case 'body':
        return takeData(chunk, from, 'start');
      case 'size':
        return takeUntil('\r\n', chunk, from, (line) => {
          const size = Number.parseInt(line, 16);
          remaining = size + '\r\n'.length;
          part = size > 0 ? 'chunk' : 'trailer';
        });
      case 'chunk':
        return takeData(chunk, from, 'size');
      case 'trailer':
        return takeUntil('\r\n', chunk, from, (line) => {
          if (line === '') part = 'start';
        });
      default:
        return part satisfies never;
    }
  }

  return (chunk) => {
    const starts: number[] = [];
    for (let at = 0; at < chunk.length; ) {
      if (part === 'start') starts.push(at);
      at += take(chunk, at);
    }
    return starts;
  };
}
