/** Receives callbacks on a free port, stores them, and responds as the test asks. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** A received callback. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, a response with headers and an optional body, or no response until the test ends. */
export type Answer =
  | number
  | { readonly status: number; readonly headers: Record<string, string>; readonly body?: Buffer }
  | 'hang';

export interface Receiver {
  /** Returns the URL for callbacks, without a trailing slash. */
  readonly url: () => string;
  /** All callbacks since the start of the test. */
  readonly received: readonly Received[];
  /** Sets the responses to the next callbacks, in this order. Later callbacks get a 204. */
  answer(...answers: readonly Answer[]): void;
  /** Sets a function that returns the response to every callback. */
  handle(handler: (received: Received) => Answer | Promise<Answer>): void;
  /** Resolves when the receiver has `count` callbacks since the start of the test. */
  waitFor(count: number): Promise<void>;
}

/** Starts a receiver for all tests of a file. Each test starts without callbacks, and with 204 as the response. */
export function useReceiver(): Receiver {
  const received: Received[] = [];
  const hanging = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  let handler: (received: Received) => Answer | Promise<Answer> = () => 204;
  let port = 0;

  const server = createServer(async (request, response) => {
    // The same callback gets the same bytes, which attempts store.
    response.sendDate = false;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    for (const check of waiting) check();
    const answer = await handler(one);
    if (answer === 'hang') hanging.add(response);
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  });

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    received.length = 0;
    handler = () => 204;
    for (const response of hanging) response.destroy();
    hanging.clear();
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  return {
    url: () => `http://127.0.0.1:${port}`,
    received,
    answer: (...answers) => {
      const remaining = [...answers];
      handler = () => remaining.shift() ?? 204;
    },
    handle: (newHandler) => {
      handler = newHandler;
    },
    waitFor: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
