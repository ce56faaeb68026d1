/** Receives requests on a free port of this machine, and answers each as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, a response with headers and an optional body, a closed connection, or no response. */
export type Answer =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body?: Buffer }
  | 'close'
  | 'hang';

export interface HttpReceiver {
  /** Without a trailing slash. */
  readonly url: string;
  /** Closes the connections on which nothing was answered. */
  dropHanging(): void;
  close(): Promise<void>;
}

export async function startReceiver(answer: (received: Received) => Answer | Promise<Answer>): Promise<HttpReceiver> {
  const hanging = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    // The same request gets the same bytes, which attempts store.
    response.sendDate = false;
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      // The sender has closed the connection.
      return;
    }
    const { method = '', url: path = '', headers } = request;
    const told = await answer({ method, path, headers, body: Buffer.concat(chunks).toString() });
    if (told === 'hang') hanging.add(response);
    else if (told === 'close') response.destroy();
    else if (typeof told === 'number') response.writeHead(told).end();
    else response.writeHead(told.status, told.headers).end(told.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropHanging: () => {
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
