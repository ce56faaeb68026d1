/** Turns failures of the control API into `SandboxError`. */
import pLimit from 'p-limit';
import { type Answer, ControlClient as Client, type Failure, type Query } from '../client/client.ts';
import { createLazy } from '../lib/lazy.ts';
import { toDefaultCode } from '../lib/problem.ts';
import type { components } from '../openapi/control.gen.ts';
import { SandboxError } from './sandbox-error.ts';

/** An operation as the sandbox's profile has it, with its failures. */
export type CatalogOperation = components['schemas']['CatalogOperation'];

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

/** The scenarios of a project, for all of its objects. */
export interface ScenarioChanges {
  /** Runs changes one after another: each reads the list first, and then replaces it. */
  readonly run: <Result>(change: () => Promise<Result>) => Promise<Result>;
  /** Number of failures that were added. */
  added: number;
}

/** Client of one sandbox's control API. Paths are relative to `/_sandbox`. */
export class ControlClient {
  /** Address and access, for a connection of its own. */
  readonly target: ControlTarget;
  readonly #client: Client;
  readonly #changes = new Map<string, ScenarioChanges>();
  /** Returns the operations with their failures. A sandbox does not change them, so they are read once. */
  readonly catalog: () => Promise<readonly CatalogOperation[]> = createLazy(async () => {
    const { items } = await this.ask<components['schemas']['Catalog']>('GET', '/catalog');
    return items;
  });

  constructor(target: ControlTarget) {
    this.target = target;
    this.#client = new Client(target);
  }

  /** Sends a request and returns the body of its response. @throws SandboxError if the sandbox rejects the request */
  ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    return this.#take<Body>(this.#client.ask(method, path, body));
  }

  /** Returns the items of all pages of a list. */
  list<Item>(path: string, query?: Query): Promise<readonly Item[]> {
    return this.#take<readonly Item[]>(this.#client.all(path, query));
  }

  async #take<Body>(asked: Promise<Answer<Body>>): Promise<Body> {
    const answer = await asked;
    if (answer.ok) return answer.body;
    throw this.toError(answer);
  }

  /** Cancels all requests in progress, which then fail. */
  close(): void {
    this.#client.close();
  }

  /** Calls a function at `close`, or at once after it. Returns what forgets it. */
  onClose(run: () => void): () => void {
    return this.#client.onClose(run);
  }

  /** Returns the changes of the scenarios at a path. */
  changesOf(path: string): ScenarioChanges {
    const changes = this.#changes.get(path) ?? { run: pLimit(1), added: 0 };
    this.#changes.set(path, changes);
    return changes;
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
        return new SandboxError(toOwnWords(message), {
          ...{ status, code: code ?? toCode(status) },
          violations: errors.map((one) => ({ ...one, message: toOwnWords(one.message) })),
        });
      default:
        return reason satisfies never;
    }
  }
}

/** What messages of the sandbox say about its paths and options, and what a test does in place of that. */
const ownWords = [
  ['PUT {"mode": "frozen"} to the clock', 'with clock.freeze()'],
  ['takeover=true', 'listen(handler, { takeover: true })'],
  ['PUT /_sandbox/server-scenarios', 'scenarios of startSandbox'],
  [/; GET \/_sandbox\/\w+ lists [\w ]+/, ''],
] as const;

function toOwnWords(message: string): string {
  return ownWords.reduce((text, [wire, own]) => text.replace(wire, own), message);
}

function toCode(status = 0): string | undefined {
  return status === 409 ? 'conflict' : toDefaultCode(status);
}
