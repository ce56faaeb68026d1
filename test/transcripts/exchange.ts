/** Sends a request over a connection of its own, and returns every byte that comes back. */
import { connect } from 'node:net';

/** What came back: '' where nothing did. */
export interface Exchanged {
  /** The status line and the headers, without the two that Node adds. */
  readonly head: string;
  readonly body: string;
  /** How the connection ended, if the response was not whole. */
  readonly ending: string | undefined;
}

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a request. With `giveUp`, the client disconnects when that resolves. */
export async function exchange(
  base: string,
  { method, url, headers, text }: Request,
  giveUp?: () => Promise<unknown>,
): Promise<Exchanged> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => resolve('reset'));
    socket.on('close', () => resolve(giveUp ? 'given up by the client' : 'closed'));
  });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  if (giveUp) {
    await giveUp();
    socket.destroy();
  }
  const how = await ended;
  const received = Buffer.concat(chunks);
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return { head: '', body: received.toString(), ending: `${how} without a response` };
  const head = received.subarray(0, end).toString();
  const body = received.subarray(end + 4);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return {
    head: head.replace(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\nConnection: close$/, ''),
    body: body.toString(),
    ending: body.length === length ? undefined : `${how} after ${body.length} of ${length} bytes`,
  };
}
