/** What tests of refused requests share: requests that no client library would send, and all that a project holds. */
import { request as httpRequest } from 'node:http';
import type { TestSandbox } from '../harness/sandbox.ts';

/** An answer as it came over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: {
    readonly message: string;
    readonly code: string;
    readonly errors?: readonly { path: string; message: string }[];
  };
}

/** A request with exactly these headers and, where there are chunks, a chunked body. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly chunks?: readonly Buffer[];
}

/** Sends what no client library would; `headers` come in place of the usual key and type. */
export function send(sandbox: TestSandbox, { method, path, headers, body, chunks }: WireRequest): Promise<Answer> {
  const own = headers ?? { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const { hostname, port } = new URL(sandbox.url());
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    let isAnswered = false;
    const outgoing = httpRequest({ method, hostname, port, path, headers: { ...length, ...own } }, (response) => {
      isAnswered = true;
      const received: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => received.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(received).toString();
        const answered = text === '' ? { message: '', code: '' } : (JSON.parse(text) as Answer['body']);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answered });
      });
    });
    // The sandbox may answer before it has read all that is sent: what is then left to send may fail.
    outgoing.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    for (const chunk of chunks ?? []) outgoing.write(chunk);
    outgoing.end(body);
  });
}

/** All that a project holds, but for its journal. */
export async function stateOf(sandbox: TestSandbox, project: string): Promise<unknown> {
  const [overview, snapshot, callbacks] = await Promise.all([
    sandbox.control('GET', `/projects/${project}`),
    sandbox.control('GET', `/projects/${project}/snapshot`),
    sandbox.control('GET', `/projects/${project}/callbacks`),
  ]);
  const { requests: _journal, ...counts } = overview.body.counts as Record<string, number>;
  const { bytes: _withJournal, ...usage } = overview.body.usage as Record<string, number>;
  return { ...overview.body, counts, usage, snapshot: snapshot.body, callbacks: callbacks.body };
}
