/** A correct callback receiver, whose steps a test can replace by wrong ones. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { defaultSecret } from '../../../src/callbacks/signature.ts';

/** A callback on its way through a receiver. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  /** Lasts as long as the receiver. */
  readonly memory: Memory;
}

/** State of a receiver. */
export interface Memory {
  readonly seen: Set<string>;
  readonly done: Set<string>;
  latestAt: string;
  working: number;
  /** Stops listening and closes all connections. */
  stop(): void;
}

export interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly failed: readonly Readonly<Record<string, unknown>>[] };
}

/** Steps of a receiver. A step that returns a status ends the request with it. */
export interface Steps {
  /** Before the body is read. */
  begin(incoming: Incoming): number | undefined | Promise<number | undefined>;
  read(incoming: Incoming): Promise<Buffer>;
  /** @throws if the signature is invalid */
  verify(body: Buffer, headers: Incoming['headers']): void;
  /** Status for an invalid signature. */
  readonly refusal: number;
  parse(body: Buffer): Message | number;
  take(message: Message, incoming: Incoming): number | Promise<number>;
}

const webhook = new Webhook(defaultSecret);

export async function readBytes({ request }: Incoming): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Steps of a correct receiver. */
export const rightSteps: Steps = {
  begin: () => undefined,
  read: readBytes,
  verify: (body, headers) => void webhook.verify(body.toString(), headers, { jsonParse: false }),
  refusal: 401,
  parse: (body) => {
    try {
      return JSON.parse(body.toString()) as Message;
    } catch {
      return 400;
    }
  },
  take: (_message, { id, memory }) => {
    memory.done.add(id);
    return 204;
  },
};

export interface TestReceiver {
  readonly url: string;
  /** State of this receiver, with the ids of accepted callbacks. */
  readonly memory: Memory;
  close(): Promise<void>;
}

/** Starts a receiver on a free port that is correct except for these steps. */
export async function startReceiver(faults: Partial<Steps> = {}): Promise<TestReceiver> {
  const steps: Steps = { ...rightSteps, ...faults };
  const server = createServer((request, response) => {
    void receive(steps, request, response, memory).catch(() => request.socket.destroy());
  });
  const memory: Memory = {
    seen: new Set(),
    done: new Set(),
    latestAt: '',
    working: 0,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    memory,
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      memory.stop();
      await closed;
    },
  };
}

async function receive(steps: Steps, request: IncomingMessage, response: ServerResponse, memory: Memory) {
  const headers = toHeaders(request.headers);
  const incoming = { request, response, headers, id: headers['webhook-id'] ?? '', memory };
  const status = await work(steps, incoming).catch(() => 500);
  if (status > 0) response.writeHead(status, status === 307 ? { location: '/elsewhere' } : {}).end();
}

/** @returns the status, or 0 for no response */
async function work(steps: Steps, incoming: Incoming): Promise<number> {
  const early = await steps.begin(incoming);
  if (early !== undefined) return early;
  const body = await steps.read(incoming);
  try {
    steps.verify(body, incoming.headers);
  } catch {
    return steps.refusal;
  }
  const message = steps.parse(body);
  return typeof message === 'number' ? message : steps.take(message, incoming);
}

function toHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
