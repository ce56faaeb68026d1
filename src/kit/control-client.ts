/** Speaks with the control API over HTTP, in process and elsewhere alike; makes errors of its refusals. */
import { setMaxListeners } from 'node:events';
import { type Answered, exchange } from './exchange.ts';
import { createSandboxError } from './sandbox-error.ts';
import type { Mistake } from './types.ts';

/** The values of a query; what is undefined is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly satisfied?: boolean;
}

/** The control API of one sandbox; paths begin after `/_sandbox`. */
export interface ControlClient {
  ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Asks for a page of a list. */
  page<Item>(path: string, query?: Query): Promise<ListPage<Item>>;
  /** All items of a list: this page, and those behind it. */
  follow<Item>(path: string, query: Query, page: ListPage<Item>): Promise<readonly Item[]>;
  /** All items of a list. */
  list<Item>(path: string, query?: Query): Promise<readonly Item[]>;
  /** Ends what is still waiting for an answer, which then fails. */
  close(): void;
}

/** Where the control API is, and how it is entered. */
export interface ControlAddress {
  /** Without a trailing slash. */
  readonly url: string;
  /** Where the address came from, such as ` (SANDBOX_URL)`, for messages. */
  readonly origin: string;
  readonly adminToken: string | undefined;
}

const mostItems = 1000;

export function createControlClient({ url, origin, adminToken }: ControlAddress): ControlClient {
  const closing = new AbortController();
  // Every request under way listens; Node takes more than ten for a leak.
  setMaxListeners(0, closing.signal);
  const entry = adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` };

  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { ...entry, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const sent = {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: closing.signal,
    };
    const answer = await exchange(`${url}/_sandbox${path}`, sent).catch((error: unknown) => {
      throw closing.signal.aborted ? toClosed() : toUnreachable(error);
    });
    return read(answer, `${method} /_sandbox${path.split('?')[0]}`) as Answer;
  }

  const toClosed = (): Error => createSandboxError(`the sandbox at ${url} was closed here`);
  const toUnreachable = (error: unknown): Error =>
    createSandboxError(`there is no sandbox at ${url}${origin}: ${reasonOf(error)}`, { cause: error });

  function read({ status, type, text }: Answered, request: string): unknown {
    const value = text === '' ? undefined : parse(text);
    if (status < 300 && value !== undefined) return value;
    const problem = value as { message?: unknown; errors?: readonly Mistake[] } | undefined;
    if (typeof problem?.message !== 'string') {
      const what = `${request} gave ${status}, ${type ?? 'no content type'}`;
      throw createSandboxError(`what answers at ${url}${origin} is no sandbox: ${what}`);
    }
    throw createSandboxError(problem.message, { status, errors: problem.errors ?? [] });
  }

  const page: ControlClient['page'] = (path, query = {}) => ask('GET', path + toQuery({ limit: mostItems, ...query }));

  async function follow<Item>(path: string, query: Query, first: ListPage<Item>): Promise<readonly Item[]> {
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

function toQuery(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

function parse(text: string): unknown {
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

/** Why a request failed. A name with several addresses fails with an error for each. */
function reasonOf(error: unknown): string {
  const { code = '', message, errors } = error as { code?: string; message?: string; errors?: readonly unknown[] };
  return reasons[code] ?? (errors?.[0] === undefined ? message || String(error) : reasonOf(errors[0]));
}
