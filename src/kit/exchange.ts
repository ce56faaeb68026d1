/** One request and its answer as text, by Node's own client: tests put others in the place of `fetch`, and this must not notice. */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';

/** What is sent. */
export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** What was answered. */
export interface Answered {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/**
 * Every request has a connection of its own: one kept alive may have been closed meanwhile, and would keep a sandbox from
 * closing at once.
 */
export async function exchange(url: string, { method, headers, body, signal }: Sent): Promise<Answered> {
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
