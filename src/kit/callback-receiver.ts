/** A receiver of callbacks on a free port of this machine: verifies, keeps what came, answers as it is told. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWallClock, toTimestamp, type WallClock } from '../base/time.ts';
import { defaultSecret, parseSecret } from '../callbacks/signature.ts';
import { createArrivals } from './arrivals.ts';
import { type ReceivedCallback, type ReceivedFilter, toReceived } from './received-callback.ts';
import { createSandboxError } from './sandbox-error.ts';
import type { Wait } from './waiting.ts';

/** What a callback is answered with; without headers and body, a status alone. */
export interface CallbackAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text as it is; anything else as JSON. */
  readonly body?: unknown;
}

/** A status, a whole answer, or what gives one of them for what came. */
export type AnswerChoice =
  | number
  | CallbackAnswer
  | ((callback: ReceivedCallback) => number | CallbackAnswer | Promise<number | CallbackAnswer>);

/** What a receiver is made with. */
export interface ReceiverOptions {
  /** What callbacks are to be signed with: `whsec_` and base64. Usually the sandbox's published one. */
  readonly secret?: string;
}

/** A receiver of callbacks. */
export interface CallbackReceiver {
  /** Where callbacks are to be sent. */
  readonly url: string;
  /** Everything that came, each attempt by itself, the earliest first. */
  readonly received: readonly ReceivedCallback[];
  /** All that match, once there are `count`. Only verified ones, unless others are asked for. Fails with what came instead. */
  waitFor(wanted?: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]>;
  /** Answers the next verified callbacks so, one after another, and all later ones with 200. */
  answer(...answers: readonly AnswerChoice[]): void;
  /** Stops listening. What is still waited for fails. Twice is as once. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const defaultAnswer = 200;

/** Listens on a free port of this machine. @throws SandboxError where the secret is none */
export async function createCallbackReceiver({
  secret = defaultSecret,
}: ReceiverOptions = {}): Promise<CallbackReceiver> {
  const parsed = parseSecret(secret);
  if (!parsed.ok) throw createSandboxError(`secret: ${parsed.message}`);
  const wall = createWallClock();
  const arrivals = createArrivals(wall);
  const answers: AnswerChoice[] = [];

  async function take(request: IncomingMessage): Promise<CallbackAnswer> {
    if (request.method !== 'POST') return { status: 405, headers: { allow: 'POST' } };
    const callback = await receive(request, secret, wall);
    arrivals.add(callback);
    if (!callback.verified) return { status: 401, body: { message: callback.refusal } };
    const choice = answers.shift() ?? defaultAnswer;
    const answer = typeof choice === 'function' ? await choice(callback) : choice;
    return typeof answer === 'number' ? { status: answer } : answer;
  }

  const server = createServer((request, response) => {
    take(request).then(
      (answer) => send(response, answer),
      // What a test's function throws is told to the sandbox, whose attempt shows it.
      (error: unknown) => send(response, { status: 500, body: { message: String(error) } }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    arrivals.end(createSandboxError(`the receiver at ${url} was closed`));
    closed ??= new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
    return closed;
  };
  return {
    url,
    received: arrivals.all,
    waitFor: (wanted = {}) => arrivals.waitFor(url, wanted),
    answer: (...next) => {
      answers.splice(0, answers.length, ...next);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function receive(request: IncomingMessage, secret: string, wall: WallClock): Promise<ReceivedCallback> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return toReceived({ raw, headers, at: toTimestamp(wall.now()) }, secret);
}

function send(response: ServerResponse, { status, headers, body }: CallbackAnswer): void {
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(status, { ...(body !== undefined && { 'content-type': type }), ...headers });
  response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
}
