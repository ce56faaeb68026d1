/** A load: so many connections, each sending its next request when the one before was answered. */
import { Client } from 'undici';

/** One request; `n` counts through the whole load, so that ids can differ. */
export interface Payload {
  readonly name: string;
  readonly connections: number;
  readonly requests: number;
  path(n: number): string;
  body(n: number): string | Buffer;
  /** Headers beside those of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is waited for after the last answer, for it belongs to the work. */
  settle?(url: string): Promise<void>;
}

/** What a load came to. */
export interface Result {
  readonly perSecond: number;
  /** How long each request took. */
  readonly times: readonly number[];
}

export interface LoadOptions {
  /** The number of its first request. */
  readonly from: number;
  /** Whether the server is the sandbox, whose responses list failed entries. */
  readonly isOurs: boolean;
}

/** What every request has. */
export const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' } as const;

/** Sends all requests of a payload. @throws where one is not answered with success, or with entries that failed */
export async function load(
  url: string,
  { connections, requests, path, body, headers: own, settle }: Payload,
  { from, isOurs }: LoadOptions,
): Promise<Result> {
  const clients = Array.from({ length: connections }, () => new Client(url, { pipelining: 1 }));
  const times: number[] = [];
  const sent = { ...headers, ...own };
  let next = 0;
  const started = performance.now();
  const run = async (client: Client): Promise<void> => {
    while (next < requests) {
      const n = from + next++;
      const began = performance.now();
      const answer = await client.request({ method: 'POST', path: path(n), body: body(n), headers: sent });
      const text = await answer.body.text();
      times.push(performance.now() - began);
      const isTaken = answer.statusCode < 300 && !(isOurs && text.includes('"failed":[{'));
      if (!isTaken) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
    }
  };
  try {
    await Promise.all(clients.map(run));
    if (isOurs) await settle?.(url);
    return { perSecond: (times.length * 1000) / (performance.now() - started), times };
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
}
