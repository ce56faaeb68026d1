/** Sends one HTTP request with Node's `http` module, because tests may replace `fetch`. */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';

/** An HTTP request. */
export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** An HTTP response. */
export interface HttpAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/**
 * Sends a request on a new connection and returns the response. Does not keep connections alive: the server may have
 * closed an idle one meanwhile, and an open one delays the end of a sandbox.
 */
export async function exchange(url: string, { method, headers, body, signal }: HttpRequest): Promise<HttpAnswer> {
  const request = url.startsWith('https:') ? (await import('node:https')).request : requestHttp;
  const options: RequestOptions = { method, headers, signal, agent: false };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, type: response.headers['content-type'], text };
}
