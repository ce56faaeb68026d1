/** Sends single HTTPS requests, and checks certificates and host names. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestSandbox } from './sandbox.ts';

interface SecureAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface SecureAsk {
  /** The only certificate that the client trusts; null: none. Default: that of the sandbox. */
  readonly ca?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** Sends a request on a new connection. Every host name, such as `au.localhost`, is that of this machine. */
export async function askSecurely(
  sandbox: Pick<TestSandbox, 'tls'>,
  host: string,
  path: string,
  { ca, method = 'GET', headers = {}, body }: SecureAsk = {},
): Promise<SecureAnswer> {
  // An empty list trusts no authority, even if the environment adds some.
  const trusted = ca === null ? [] : (ca ?? (await fetchCa(sandbox)));
  const { port } = new URL(sandbox.tls()?.url ?? '');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(`https://${host}:${port}${path}`, {
      ...{ method, agent: false, rejectUnauthorized: true, ca: trusted },
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    outgoing.on('response', resolve).on('error', reject).end(JSON.stringify(body));
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}

/** Fetches the certificate that clients must trust, without TLS. */
export async function fetchCa(sandbox: Pick<TestSandbox, 'tls'>): Promise<string> {
  const answer = await fetch(sandbox.tls()?.caUrl ?? '');
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.text();
}
