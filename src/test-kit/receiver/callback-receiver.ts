/** Receives callbacks on a free port of this machine: verifies and stores them, and responds as a test asks. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultSecret, parseSecret } from '../../callbacks/signature.ts';
import { parseJson } from '../../client/send.ts';
import { createWallClock, toTimestamp, type WallClock } from '../../lib/time.ts';
import { sleep } from '../../lib/timers.ts';
import { check, kinds, mistakeAt, named, withChecks } from '../methods.ts';
import type { Wait } from '../project/waiting.ts';
import { SandboxError, toErrorText } from '../sandbox-error.ts';
import type { CallbackMessageView } from '../types.ts';
import { type ReceivedForm, readForm } from './form.ts';
import { type ReceivedCallback, type ReceivedFilter, ReceivedQueue } from './received.ts';

/** Response to a callback. */
export interface CallbackAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  /** A string is sent as is; any other value is sent as JSON. Default: no body. */
  readonly body?: unknown;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a function without a return statement has this type
type HandlerResult = number | CallbackAnswer | void;

/** A status, a full response, or a function that returns either for the received callback; nothing is a 200. */
export type AnswerChoice =
  | number
  | CallbackAnswer
  | ((callback: ReceivedCallback) => HandlerResult | Promise<HandlerResult>);

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
   * @throws SandboxError after `timeout`; its message lists the callbacks received instead. With the code `handler_failed`
   *   and the error as `cause`, if a handler threw or returned no valid response, and no earlier call has said so
   */
  waitFor(filter?: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]>;
  /** Sets the responses to the next verified callbacks, in this order; then a 200, or what a listener's handler returns. */
  answer(...responses: readonly AnswerChoice[]): void;
  /**
   * Answers what has arrived, then stops listening; pending `waitFor` calls fail. Calling it again has no effect.
   * @throws SandboxError `handler_failed`, as `waitFor`
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const defaultAnswer = 200;

/** A response, with its body as text. */
export interface TextAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a receiver does with each callback, wherever it comes from. */
export class Responder {
  readonly queue: ReceivedQueue = new ReceivedQueue();
  /** The form of the profile's callbacks. */
  readonly form: ReceivedForm;
  readonly #wall: WallClock = createWallClock();
  readonly #secret: string;
  /** Responds once the answers are used. */
  readonly #choose: AnswerChoice;
  readonly #answers: AnswerChoice[] = [];

  private constructor(form: ReceivedForm, secret: string, choose: AnswerChoice) {
    this.form = form;
    this.#secret = secret;
    this.#choose = choose;
  }

  /** @throws SandboxError if the secret or the profile is not valid */
  static async create(
    { secret = defaultSecret, profile }: ReceiverOptions,
    choose: AnswerChoice = defaultAnswer,
  ): Promise<Responder> {
    const form = await readForm(profile);
    const parsed = parseSecret(secret, form.secrets);
    if (!parsed.ok) throw mistakeAt('secret', parsed.message);
    return new Responder(form, secret, choose);
  }

  /** Verifies and stores a callback, and returns the response. If the test's function fails, a 500 with its error. */
  respond(given: Pick<ReceivedCallback, 'headers' | 'raw'>): Promise<TextAnswer> {
    const answering = this.#answer(given).then(toText);
    return answering.catch((error: unknown) => {
      this.queue.fail(error);
      return toText({ status: 500, body: { message: toErrorText(error) } });
    });
  }

  async #answer(given: Pick<ReceivedCallback, 'headers' | 'raw'>): Promise<CallbackAnswer> {
    const callback = await this.#verify(given);
    this.queue.add(callback);
    if (!callback.verified) return { status: 401, body: { message: callback.refusal } };
    const choice = this.#answers.shift() ?? this.#choose;
    const chosen = typeof choice === 'function' ? await choice(callback) : choice;
    const answer = chosen === undefined ? defaultAnswer : chosen;
    check('result', kinds.answer, answer);
    return typeof answer === 'number' ? { status: answer } : answer;
  }

  /** Parses a callback, and verifies its signature, which covers the exact text of the body. */
  async #verify({ headers, raw }: Pick<ReceivedCallback, 'headers' | 'raw'>): Promise<ReceivedCallback> {
    const nowMs = this.#wall.now();
    const body = parseJson(raw) as CallbackMessageView;
    const { type, id = '' } = this.form.read(headers, body);
    const refusal = await this.form.verify({ headers, raw, id }, { secret: this.#secret, nowMs });
    return {
      ...{ id, type: typeof type === 'string' ? type : '', body, headers, raw, at: toTimestamp(nowMs) },
      verified: refusal === undefined,
      ...(refusal !== undefined && { refusal }),
    };
  }

  /** Returns the methods of a receiver. `toName` is for messages, and `end` stops it. */
  members(toName: () => string, end: () => Promise<void>): Omit<CallbackReceiver, 'url'> {
    const { queue } = this;
    const { waitFor, close } = withChecks<Pick<CallbackReceiver, 'waitFor' | 'close'>>('', {
      waitFor: (filter = {}) => queue.waitFor(toName, filter),
      close: async () => {
        await end();
        queue.throwFailure();
      },
    });
    const answer = (...next: readonly AnswerChoice[]): void => {
      for (const one of next) check('answer', kinds.answerChoice, one);
      this.#answers.splice(0, this.#answers.length, ...next);
    };
    return { received: queue.all, answer, waitFor, close, [Symbol.asyncDispose]: close };
  }
}

function toText({ status, headers: given = {}, body }: CallbackAnswer): TextAnswer {
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  if (body === undefined) return { status, headers };
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': type, ...headers }, body: text };
}

/**
 * Starts a callback receiver on a free port of this machine.
 * @throws SandboxError if the secret or the profile is not valid
 */
export function createCallbackReceiver(options: ReceiverOptions = {}): Promise<CallbackReceiver> {
  return named('createCallbackReceiver', [options], () => startReceiver(options));
}

async function startReceiver(options: ReceiverOptions): Promise<CallbackReceiver> {
  const responder = await Responder.create(options);
  const { method } = responder.form.settings;
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    response.once('close', () => open.delete(response));
    const sending = receive(request).then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
    // A connection that breaks within a request is no mistake of the test.
    sending.catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closed: Promise<void> | undefined;

  async function receive(request: IncomingMessage): Promise<TextAnswer> {
    if (request.method !== method) return { status: 405, headers: { allow: method } };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    return responder.respond({ headers, raw });
  }

  const end = (): Promise<void> => {
    responder.queue.end(new SandboxError(`the receiver at ${url} was closed`, { code: 'closed' }));
    closed ??= new Promise<void>((done) => {
      server.close(() => done());
      void untilAnswered(open).then(() => server.closeAllConnections());
    });
    return closed;
  };
  return { url, ...responder.members(() => url, end) };
}

/** How often a receiver that is closed looks whether it has responded, and the pause before each time, in milliseconds. */
const maxLooks = 50;
const pauseMs = 10;

/** Waits a moment for the responses to what has arrived: a test that has seen a callback would not expect it to fail. */
export async function untilAnswered(open: ReadonlySet<unknown>): Promise<void> {
  for (let looks = 0; open.size > 0 && looks < maxLooks; looks += 1) await sleep(pauseMs);
}
