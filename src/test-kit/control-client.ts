/** Calls the control API over HTTP, and turns its error responses into `SandboxError`. */
import { setMaxListeners } from 'node:events';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { toCredentials } from '../config/keys.ts';
import { toDefaultCode } from '../lib/problem.ts';
import { SandboxError } from './sandbox-error.ts';
import type { Mistake } from './types.ts';

type QueryValue = string | number | boolean | undefined;

/** Query parameters; undefined values are omitted, and lists are separated by commas. */
export type ListQuery = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly satisfied?: boolean;
}

/** Client of one sandbox's control API. Paths are relative to `/_sandbox`. */
export interface ControlClient {
  /** Sends a request and returns the body of its response. @throws SandboxError if the sandbox rejects the request */
  ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Returns one page of a list. */
  page<Item>(path: string, query?: ListQuery): Promise<ListPage<Item>>;
  /** Returns the items of this page and of all pages after it. */
  follow<Item>(path: string, query: ListQuery, page: ListPage<Item>): Promise<readonly Item[]>;
  /** Returns all items of a list. */
  list<Item>(path: string, query?: ListQuery): Promise<readonly Item[]>;
  /** Cancels all requests in progress, which then fail. */
  close(): void;
}

/** Address and access of a control API. */
export interface ControlTarget {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  /** Source of the URL for messages, such as ` (SANDBOX_URL)`. */
  readonly origin: string;
  readonly adminToken: string | undefined;
  /** API key, sent in place of the admin token. */
  readonly apiKey?: string | undefined;
}

const maxItems = 1000;

export function createControlClient({ url, origin, adminToken, apiKey }: ControlTarget): ControlClient {
  const closing = new AbortController();
  // Every request in progress adds a listener, and Node warns of a leak after ten.
  setMaxListeners(0, closing.signal);
  const authHeaders = toCredentials(adminToken, apiKey);

  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { ...authHeaders, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = { method, headers, body: text, signal: closing.signal };
    const answer = await send(`${url}/_sandbox${path}`, sent).catch((error: unknown) => {
      throw closing.signal.aborted ? toClosed() : toUnreachable(error);
    });
    return read(answer, `${method} /_sandbox${path.split('?')[0]}`) as Answer;
  }

  const toClosed = (): Error => new SandboxError(`the sandbox at ${url} was closed by this test`, { code: 'closed' });
  const toUnreachable = (error: unknown): Error =>
    new SandboxError(`can't connect to the sandbox at ${url}${origin}: ${reasonOf(error)}`, {
      code: 'unreachable',
      cause: error,
    });

  function read({ status, type, text }: HttpAnswer, request: string): unknown {
    if (status === 204) return undefined;
    const value = parseJson(text);
    if (status < 300 && value !== undefined) return value;
    const problem = value as { message?: unknown; code?: string; errors?: readonly Mistake[] } | undefined;
    if (typeof problem?.message !== 'string') {
      const what = `${request} returned ${status}, ${type ?? 'no content type'}`;
      throw new SandboxError(`the server at ${url}${origin} is not a sandbox: ${what}`, { code: 'unreachable' });
    }
    throw new SandboxError(problem.message, {
      status,
      code: problem.code ?? toCode(status),
      violations: problem.errors ?? [],
    });
  }

  const toCode = (status: number): string | undefined => (status === 409 ? 'conflict' : toDefaultCode(status));

  const page: ControlClient['page'] = (path, query = {}) => ask('GET', path + toQuery({ limit: maxItems, ...query }));

  async function follow<Item>(path: string, query: ListQuery, first: ListPage<Item>): Promise<readonly Item[]> {
    const items = [...first.items];
    for (let { next } = first; next !== undefined; ) {
      const more = await page<Item>(path, { ...query, cursor: next });
      items.push(...more.items);
      next = more.next;
    }
    return items;
  }

  return {
    ask,
    page,
    follow,
    list: async (path, query = {}) => follow(path, query, await page(path, query)),
    close: () => closing.abort(),
  };
}

function toQuery(query: ListQuery): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return `?${new URLSearchParams(Object.fromEntries(entries.map(([name, value]) => [name, String(value)])))}`;
}

/** Parses JSON. Returns undefined if the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host name not found',
};

/** Returns why a request failed. For a host name with several addresses, returns the error of the first one. */
function reasonOf(error: unknown): string {
  const { code = '', message, errors } = error as { code?: string; message?: string; errors?: readonly unknown[] };
  return reasons[code] ?? (errors?.[0] === undefined ? message || String(error) : reasonOf(errors[0]));
}

type HttpRequest = Pick<RequestOptions, 'method' | 'headers' | 'signal'> & { readonly body: string | undefined };

interface HttpAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Sends a request with Node's `http` module, because tests may replace `fetch`. Does not keep connections alive: the
 * server may have closed an idle one meanwhile, and an open one delays the end of a sandbox.
 */
export async function send(url: string, { body, ...sent }: HttpRequest): Promise<HttpAnswer> {
  const request = url.startsWith('https:') ? (await import('node:https')).request : requestHttp;
  const options = { ...sent, agent: false };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  return { status: response.statusCode ?? 0, type: response.headers['content-type'], headers, text };
}
