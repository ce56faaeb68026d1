/** Sends single HTTPS requests. Trusts only the given certificate authority, and checks host names. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { TestSandbox } from './sandbox.ts';

export interface SecureAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A request; `ca` is the only certificate that the client trusts. */
export interface SecureAsk {
  readonly ca?: string | undefined;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request on a new connection. Resolves every host name to this machine, such as `au.localhost`. */
export function askSecurely(url: string, { ca, method = 'GET', headers = {}, body }: SecureAsk): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        headers,
        agent: false,
        rejectUnauthorized: true,
        // An empty list trusts no authority, even if the environment adds some.
        ca: ca ?? [],
        lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]),
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.on('error', reject);
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
      },
    );
    outgoing.on('error', reject).end(body);
  });
}

/** Fetches the certificate that clients must trust, without TLS. */
export async function fetchCa(sandbox: Pick<TestSandbox, 'tls'>): Promise<string> {
  const answer = await fetch(sandbox.tls()?.caUrl ?? '');
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.text();
}
