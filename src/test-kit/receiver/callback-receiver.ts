/** Receives callbacks on a free port of this machine: verifies and stores them, and responds as a test asks. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultSecret, parseSecret } from '../../callbacks/signature.ts';
import { createWallClock, toTimestamp } from '../../lib/time.ts';
import type { Wait } from '../project/waiting.ts';
import { SandboxError } from '../sandbox-error.ts';
import { readForm } from './form.ts';
import {
  createReceivedQueue,
  type ReceivedCallback,
  type ReceivedFilter,
  toReceived,
  type Verifying,
} from './received.ts';

/** Response to a callback. */
export interface CallbackAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as is; any other value is sent as JSON. Default: no body. */
  readonly body?: unknown;
}

/** A status, a full response, or a function that returns either for the received callback. */
export type AnswerChoice =
  | number
  | CallbackAnswer
  | ((callback: ReceivedCallback) => number | CallbackAnswer | Promise<number | CallbackAnswer>);

/** Options of `createCallbackReceiver`. */
export interface ReceiverOptions {
  /**
   * Secret that callbacks must be signed with: `whsec_` and base64, or any text if the profile has another signature than
   * Standard Webhooks. Default: the sandbox's published secret.
   */
  readonly secret?: string;
  /** Profile file of the sandbox: the receiver expects its method, headers, payload and signature. */
  readonly profile?: string;
}

/** An HTTP server that receives callbacks, verifies their signatures and stores them. */
export interface CallbackReceiver {
  /** URL to set as the callback endpoint. */
  readonly url: string;
  /** All received callbacks, verified or not, earliest first. Each attempt is one item. */
  readonly received: readonly ReceivedCallback[];
  /**
   * Waits until `count` callbacks match, then returns all that match. By default, only verified callbacks match.
   * @throws SandboxError after `timeout`; its message lists the callbacks received instead
   */
  waitFor(filter?: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]>;
  /** Sets the responses to the next verified callbacks, in this order. All later callbacks get a 200. */
  answer(...responses: readonly AnswerChoice[]): void;
  /** Stops listening; pending `waitFor` calls fail. Calling it again has no effect. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const defaultAnswer = 200;

/**
 * Starts a callback receiver on a free port of this machine.
 * @throws SandboxError if the secret or the profile is not valid
 */
export async function createCallbackReceiver({
  secret = defaultSecret,
  profile: file,
}: ReceiverOptions = {}): Promise<CallbackReceiver> {
  const form = await readForm(file);
  const { method } = form.settings;
  const parsed = parseSecret(secret, form.secrets);
  if (!parsed.ok) throw new SandboxError(`secret: ${parsed.message}`);
  const wall = createWallClock();
  const queue = createReceivedQueue(wall);
  const answers: AnswerChoice[] = [];

  async function respond(request: IncomingMessage): Promise<CallbackAnswer> {
    if (request.method !== method) return { status: 405, headers: { allow: method } };
    const callback = await receive(request, { secret, form, nowMs: wall.now() });
    queue.add(callback);
    if (!callback.verified) return { status: 401, body: { message: callback.refusal } };
    const choice = answers.shift() ?? defaultAnswer;
    const answer = typeof choice === 'function' ? await choice(callback) : choice;
    return typeof answer === 'number' ? { status: answer } : answer;
  }

  const server = createServer((request, response) => {
    respond(request).then(
      (answer) => send(response, answer),
      // If the test's function throws, the attempt in the sandbox shows the error.
      (error: unknown) => send(response, { status: 500, body: { message: String(error) } }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    queue.end(new SandboxError(`the receiver at ${url} was closed`));
    closed ??= new Promise<void>((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
    return closed;
  };
  return {
    url,
    received: queue.all,
    waitFor: (filter = {}) => queue.waitFor(url, filter),
    answer: (...next) => {
      answers.splice(0, answers.length, ...next);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function receive(request: IncomingMessage, verifying: Verifying): Promise<ReceivedCallback> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return toReceived({ raw, headers, at: toTimestamp(verifying.nowMs) }, verifying);
}

function send(response: ServerResponse, { status, headers, body }: CallbackAnswer): void {
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  response.writeHead(status, { ...(body !== undefined && { 'content-type': type }), ...headers });
  response.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
}
