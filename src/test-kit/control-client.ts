/** Turns failures of the control API into `SandboxError`, and reads lists. */
import { type Answer, ControlClient as Client, type Failure, toQuery } from '../client/client.ts';
import { toDefaultCode } from '../lib/problem.ts';
import { SandboxError } from './sandbox-error.ts';

type QueryValue = string | number | boolean | undefined;

/** Query parameters; undefined values are omitted, and lists are separated by commas. */
export type ListQuery = Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  readonly satisfied?: boolean;
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

/** Client of one sandbox's control API. Paths are relative to `/_sandbox`. */
export class ControlClient {
  /** Address and access, for a connection of its own. */
  readonly target: ControlTarget;
  readonly #client: Client;
  readonly #closing = new Set<() => void>();

  constructor(target: ControlTarget) {
    this.target = target;
    this.#client = new Client(target);
  }

  /** Sends a request and returns the body of its response. @throws SandboxError if the sandbox rejects the request */
  async ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer: Answer<Body> = await this.#client.ask(method, path, body);
    if (answer.ok) return answer.body;
    throw this.toError(answer);
  }

  /** Returns one page of a list. */
  page<Item>(path: string, query: ListQuery = {}): Promise<ListPage<Item>> {
    const texts = Object.entries(query).map(([name, value]) => [name, value === undefined ? value : String(value)]);
    return this.ask('GET', path + toQuery({ limit: maxItems, ...Object.fromEntries(texts) }));
  }

  /** Returns the items of all pages of a list. `first`: the first page, if it was read already. */
  async list<Item>(path: string, query: ListQuery = {}, first?: ListPage<Item>): Promise<readonly Item[]> {
    let { items, next: cursor } = first ?? (await this.page<Item>(path, query));
    while (cursor !== undefined) {
      const more = await this.page<Item>(path, { ...query, cursor });
      items = [...items, ...more.items];
      cursor = more.next;
    }
    return items;
  }

  /** Cancels all requests in progress, which then fail. */
  close(): void {
    this.#client.close();
    for (const listener of this.#closing) listener();
  }

  /** Calls the listener at `close`. Returns a function that unsubscribes. */
  onClose(listener: () => void): () => void {
    this.#closing.add(listener);
    return () => this.#closing.delete(listener);
  }

  /** Returns the error for a failure. */
  toError({ reason, message, status, code, errors = [], cause }: Failure): Error {
    const { url, origin } = this.target;
    const unreachable = { code: 'unreachable', cause };
    switch (reason) {
      case 'unreachable':
        return this.#client.isClosed
          ? new SandboxError(`the sandbox at ${url} was closed by this test`, { code: 'closed' })
          : new SandboxError(`can't connect to the sandbox at ${url}${origin}: ${message}`, unreachable);
      case 'foreign':
        return new SandboxError(`the server at ${url}${origin} is not a sandbox: ${message}`, unreachable);
      case 'refused':
        return new SandboxError(message, { status, code: code ?? toCode(status), violations: errors });
      default:
        return reason satisfies never;
    }
  }
}

function toCode(status = 0): string | undefined {
  return status === 409 ? 'conflict' : toDefaultCode(status);
}
