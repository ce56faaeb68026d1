/** Sends single HTTP requests. */

import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { describeError } from '../lib/describe-error.ts';

export type HttpRequest = Pick<RequestOptions, 'method' | 'headers' | 'signal' | 'timeout'> & {
  readonly body: string | undefined;
};

export interface HttpAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Opens a response with Node's `http` module, because tests may replace `fetch`. Does not keep connections alive: the
 * server may have closed an idle one meanwhile, and an open one delays the end of a sandbox. `timeout`: the longest silence
 * of the server, in milliseconds.
 */
export async function open(url: string, { body, ...given }: HttpRequest): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? (await import('node:https')).request : requestHttp;
  // As it is: `URL` takes dots for steps of the path, and a project may be called `..`.
  const path = url.replace(/^\w+:\/\/[^/?]*/, '').replace(/[^!-~]+/g, encodeURIComponent);
  const sent = { ...given, path };
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    const sending = request(url, { ...sent, agent: false }, (received) => {
      response = received;
      resolve(received);
    });
    sending.on('error', reject);
    // Those who read a response see only what ends it, not what ends its request.
    sending.on('timeout', () =>
      (response ?? sending).destroy(new Error(`it sent no data for ${Number(sent.timeout) / 1000} s`)),
    );
    sending.end(body);
  });
}

/** Reads a response to its end. An endless one would fill the memory. @throws Error if it has more than `maxBytes` */
export async function readAnswer(
  response: IncomingMessage,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`its response is larger than ${maxBytes / 1024 ** 2} MB`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  return { status: response.statusCode ?? 0, type: response.headers['content-type'], headers, text };
}

/** Sends a request, and reads the response. */
export async function send(url: string, request: HttpRequest): Promise<HttpAnswer> {
  return readAnswer(await open(url, request));
}

/** Parses JSON. Returns undefined if the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns why a request failed. For a host name with several addresses, returns the error of the first one. */
export function reasonOf(error: unknown): string {
  const { errors } = Object(error) as { errors?: readonly unknown[] };
  return describeError(errors?.[0] ?? error);
}
