/** Requests on one connection without waiting for responses: a maximum of a thousand is reached in a moment. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request with the default key and, if it has a body, JSON. */
export interface PipelinedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Sends the requests in order; returns the statuses of the responses. */
export async function sendPipelined(url: string, requests: readonly PipelinedRequest[]): Promise<readonly number[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const last = requests.length - 1;
  for (const [index, { method, path, body }] of requests.entries()) {
    const json = body === undefined ? '' : JSON.stringify(body);
    const lines = [
      `${method} ${path} HTTP/1.1`,
      'host: localhost',
      'apikey: sandbox-key',
      ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(json)}`]),
      ...(index === last ? ['connection: close'] : []),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${json}`);
  }
  const answers = await text(socket);
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
