/** A load: so many connections, each sending its next request when the one before was answered. */
import { Client } from 'undici';

/** One request; `n` counts through the whole load, so that ids can differ. */
export interface Payload {
  readonly name: string;
  readonly connections: number;
  readonly requests: number;
  readonly method: string;
  path(n: number): string;
  body(n: number): string | Buffer;
}

/** What a load came to. */
export interface Result {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Sends all requests of a payload. @throws where one is not answered with success, or with entries that failed */
export async function load(
  url: string,
  { connections, requests, method, path, body }: Payload,
  from: number,
): Promise<Result> {
  const clients = Array.from({ length: connections }, () => new Client(url, { pipelining: 1 }));
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const times: number[] = [];
  let next = 0;
  const run = async (client: Client): Promise<void> => {
    while (next < requests) {
      const n = from + next++;
      const started = performance.now();
      const answer = await client.request({ method: method as 'POST', path: path(n), body: body(n), headers });
      const text = await answer.body.text();
      times.push(performance.now() - started);
      const isTaken = answer.statusCode < 300 && !text.includes('"failed":[{');
      if (!isTaken) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
    }
  };
  const started = performance.now();
  await Promise.all(clients.map(run));
  const seconds = (performance.now() - started) / 1000;
  await Promise.all(clients.map((client) => client.close()));
  times.sort((a, b) => a - b);
  return { perSecond: requests / seconds, p99Ms: times[Math.floor(times.length * 0.99)] ?? 0 };
}
