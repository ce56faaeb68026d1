/** A receiver of callbacks on a free port: keeps what came, and answers as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** One callback as it came. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, or a status with headers and perhaps a body, or no answer until the test ends. */
export type Answer =
  | number
  | { readonly status: number; readonly headers: Record<string, string>; readonly body?: Buffer }
  | 'hang';

export interface Receiver {
  /** Where callbacks are to be sent, without a trailing slash. */
  readonly url: () => string;
  /** What came since the test began. */
  readonly received: readonly Received[];
  /** Answers the next ones so, one after another, and all later ones with 204. */
  answer(...answers: readonly Answer[]): void;
  /** Answers every one with what this gives. */
  handle(handler: (received: Received) => Answer | Promise<Answer>): void;
  /** Resolves when so many have come since the test began. */
  came(count: number): Promise<void>;
}

/** A receiver for all tests of a file; each begins with nothing received, and 204 for an answer. */
export function useReceiver(): Receiver {
  const received: Received[] = [];
  const hanging = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  let handler: (received: Received) => Answer | Promise<Answer> = () => 204;
  let port = 0;

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    for (const look of waiting) look();
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
      const left = [...answers];
      handler = () => left.shift() ?? 204;
    },
    handle: (wanted) => {
      handler = wanted;
    },
    came: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
