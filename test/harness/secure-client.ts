/** A client that trusts nobody but whom it was told to, and checks names; for one request each. */
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { TestSandbox } from './sandbox.ts';

export interface SecureAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What a request brings; `ca` is the certificate that the client trusts. */
export interface SecureAsk {
  readonly ca?: string | undefined;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Asks on a connection of its own. Every host name is this machine, so that no resolver has to know `au.localhost`. */
export function askSecurely(url: string, { ca, method = 'GET', headers = {}, body }: SecureAsk): Promise<SecureAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        headers,
        agent: false,
        rejectUnauthorized: true,
        // An empty list trusts nobody, also where the environment says otherwise.
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

/** Fetches, without TLS, what clients are to trust. */
export async function fetchCa(sandbox: Pick<TestSandbox, 'tls'>): Promise<string> {
  const answer = await fetch(sandbox.tls()?.caUrl ?? '');
  if (answer.status !== 200) throw new Error(await answer.text());
  return answer.text();
}
