/** Client of the control API of a sandbox in another process. A failure is a value, never thrown. */
import { setMaxListeners } from 'node:events';
import { toCredentials } from '../config/keys.ts';
import { type HttpAnswer, open, parseJson, readAnswer, reasonOf } from './send.ts';

type Mistakes = readonly { readonly path: string; readonly message: string }[];

/** Why there is no result. */
export interface Failure {
  readonly ok: false;
  /** `unreachable`: no response; `foreign`: the response is not one of a sandbox; `refused`: the sandbox's own answer. */
  readonly reason: 'unreachable' | 'foreign' | 'refused';
  readonly message: string;
  readonly status?: number;
  readonly code?: string | undefined;
  /** Each mistake, with its place in the request. */
  readonly errors?: Mistakes;
  readonly cause?: unknown;
}

/** Whether a later try may succeed. Errors of certificates and of other protocols do not pass. */
export function isTemporary({ reason, status = 0, message }: Failure): boolean {
  if (reason === 'unreachable') return !/^certificate |^the TLS handshake|is not HTTP$/.test(message);
  return status >= 500 || status === 429;
}

export type Answer<Body> = { readonly ok: true; readonly body: Body } | Failure;

/** A sandbox does not do what it is asked. */
export class AnswerError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Returns the body of an answer. @throws AnswerError */
export function bodyOf<Body>(answer: Answer<Body>): Body {
  if (!answer.ok) throw new AnswerError(answer);
  return answer.body;
}

type QueryValue = string | number | boolean | undefined;

/** Query parameters; those that are undefined are left out, and lists are separated by commas. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** Address and access of a control API. */
export interface ClientTarget {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  readonly adminToken: string | undefined;
  /** API key, sent in place of the admin token. */
  readonly apiKey?: string | undefined;
  /** Longest silence of the server within a request, in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /** Longest silence of a stream of events, in milliseconds. Default: 45 s; a sandbox sends a comment every 15 s. */
  readonly silenceMs?: number;
  /** Maximum size of a response, in bytes. Default: none. */
  readonly maxBytes?: number;
}

interface Page {
  readonly items: readonly unknown[];
  readonly next?: string;
}

/** Default of `silenceMs`. */
const maxSilenceMs = 45_000;

/** Paths are relative to `/_sandbox`. */
export class ControlClient {
  readonly #target: ClientTarget;
  readonly #closing = new AbortController();

  constructor(target: ClientTarget) {
    this.#target = target;
    // Every request in progress adds a listener, and Node warns of a leak after ten.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Sends a request; a text as the body is YAML. */
  async ask<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const { timeoutMs } = this.#target;
    try {
      const response = await this.#open(method, path, body, { ...(timeoutMs !== undefined && { timeout: timeoutMs }) });
      return toAnswer(await readAnswer(response, this.#target.maxBytes), `${method} /_sandbox${path.split('?')[0]}`);
    } catch (error) {
      return { ok: false, reason: 'unreachable', message: reasonOf(error), cause: error };
    }
  }

  /** Returns the items of all pages of a list, or the first `max`. `limit`: the size of a page. */
  async all<Item>(
    path: string,
    { limit: pageSize = maxItems, ...query }: Query = {},
    max: number = Number.POSITIVE_INFINITY,
  ): Promise<Answer<readonly Item[]>> {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const limit = Math.min(Number(pageSize), max - items.length);
      const answer: Answer<Page> = await this.ask('GET', path + toQuery({ ...query, limit, cursor }));
      if (!answer.ok) return answer;
      items.push(...(answer.body.items as readonly Item[]));
      cursor = answer.body.next;
    } while (cursor !== undefined && items.length < max);
    return { ok: true, body: items };
  }

  /** Passes the text of a stream of events to `onPiece` until the stream ends. @returns why it has ended */
  async follow(
    path: string,
    lastId: string | undefined,
    onPiece: (piece: string) => void | Promise<void>,
  ): Promise<Failure> {
    try {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
      const response = await this.#open('GET', path, undefined, {
        headers,
        timeout: this.#target.silenceMs ?? maxSilenceMs,
      });
      if (!response.headers['content-type']?.startsWith('text/event-stream')) {
        const answer = toAnswer(
          await readAnswer(response, this.#target.maxBytes),
          `GET /_sandbox${path.split('?')[0]}`,
        );
        return answer.ok ? { ok: false, reason: 'foreign', message: 'it sends no events' } : answer;
      }
      for await (const piece of response.setEncoding('utf8')) await onPiece(String(piece));
      return { ok: false, reason: 'unreachable', message: 'it closed the connection' };
    } catch (error) {
      return { ok: false, reason: 'unreachable', message: reasonOf(error), cause: error };
    }
  }

  /** Cancels all requests in progress, and all later ones. */
  close(): void {
    this.#closing.abort();
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /**
   * Calls a function at `close`, or at once after it. Returns what forgets it. The kit's types have no `AbortSignal`: it is
   * a type of Node.
   */
  onClose(run: () => void): () => void {
    if (this.isClosed) run();
    else this.#closing.signal.addEventListener('abort', run, { once: true });
    return () => this.#closing.signal.removeEventListener('abort', run);
  }

  #open(method: string, path: string, value: unknown, more: { headers?: object; timeout?: number }) {
    const { url, adminToken, apiKey } = this.#target;
    const isYaml = typeof value === 'string';
    const type = value === undefined ? {} : { 'content-type': isYaml ? 'application/yaml' : 'application/json' };
    const body = isYaml ? value : JSON.stringify(value);
    const headers = { ...toCredentials(adminToken, apiKey), ...type, ...more.headers };
    return open(`${url}/_sandbox${path}`, { ...more, method, headers, body, signal: this.#closing.signal });
  }
}

/** Maximum number of items in a page. */
const maxItems = 1000;

/** Returns the path of a project in the control API. */
export function toProjectPath(project: string): string {
  return `/projects/${encodeURIComponent(project)}`;
}

export function toQuery(query: Query): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return `?${new URLSearchParams(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])))}`;
}

/** Returns what a response says. `request`: its method and path, for messages. */
export function toAnswer<Body>({ status, type, text }: Omit<HttpAnswer, 'headers'>, request: string): Answer<Body> {
  if (status === 204) return { ok: true, body: undefined as Body };
  const value = parseJson(text);
  if (status < 300 && value !== undefined) return { ok: true, body: value as Body };
  const { message, code, errors = [] } = Object(value) as { message?: unknown; code?: string; errors?: Mistakes };
  if (typeof message !== 'string') {
    const response = `${request} returned ${status}, ${type ?? 'no content type'}`;
    return { ok: false, reason: 'foreign', message: response, status };
  }
  return { ok: false, reason: 'refused', message, status, code, errors };
}
