/** Sends requests to other replicas over HTTP, and gives them up when the other replica is gone. */
import { Agent } from 'undici';
import type { Reply } from '../../http/reply.ts';
import { readReply, replyHeader, toFrame } from './messages.ts';

/** The result of a request to another replica. */
export type Sent =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** The other replica does not own the project, and nothing has happened. */
  | { readonly kind: 'not-owner' }
  /** It cannot reach its database. */
  | { readonly kind: 'unavailable' }
  /** It cannot be reached, so the request had no effect. */
  | { readonly kind: 'unreachable' }
  /** It has lost the project meanwhile, so the request may have had an effect. */
  | { readonly kind: 'unconfirmed' }
  /** The connection broke, so the request may have had an effect. */
  | { readonly kind: 'broken' };

export interface PeerClient {
  send(url: string, head: unknown, text: string, signal?: AbortSignal): Promise<Sent>;
  /** Gives up all requests to a replica. */
  drop(url: string): void;
  /** Looks whether a replica answers, or whether nothing listens at its address: its process has ended. */
  probe(url: string, timeoutMs: number): Promise<'answers' | 'refused' | 'silent'>;
  /** Addresses with requests that wait for a reply. */
  waiting(): readonly string[];
  close(): Promise<void>;
}

const results: Readonly<Record<number, 'unreachable' | 'not-owner' | 'unconfirmed' | 'unavailable'>> = {
  // It has not joined yet, or not again.
  401: 'unreachable',
  409: 'not-owner',
  502: 'unconfirmed',
  503: 'unavailable',
};

/** Maximum size of a reply without its body: a scenario may set long headers. */
const maxHeadBytes = 16 * 1024 ** 2;

export function createPeerClient(secret: string): PeerClient {
  // A reply may take as long as its scenario or its client wants.
  const agent = new Agent({
    ...{ headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: maxHeadBytes, pipelining: 1 },
    connect: { timeout: 2000 },
  });
  const authorization = `Bearer ${secret}`;
  const open = new Set<{ readonly url: string; readonly abort: AbortController }>();

  async function send(url: string, head: unknown, text: string, signal?: AbortSignal): Promise<Sent> {
    const abort = new AbortController();
    const request = { url, abort };
    open.add(request);
    const end = (): void => void open.delete(request);
    try {
      const { statusCode, headers, body } = await agent.request({
        origin: url,
        path: '/',
        method: 'POST',
        headers: { authorization },
        body: toFrame(head, text),
        signal: signal ? AbortSignal.any([abort.signal, signal]) : abort.signal,
      });
      // A stream or a hung response lasts longer than this call.
      body.once('close', end);
      body.on('error', () => undefined);
      const replyHead = headers[replyHeader];
      if (replyHead !== undefined) return { kind: 'reply', reply: await readReply(body, String(replyHead)) };
      body.resume();
      return { kind: results[statusCode] ?? 'broken' };
    } catch (error) {
      end();
      return { kind: isUnsent(error) ? 'unreachable' : 'broken' };
    }
  }

  return {
    send,
    drop: (url) => {
      for (const one of open) if (one.url === url) one.abort.abort();
    },
    probe: async (url, timeoutMs) => {
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const { statusCode, body } = await agent.request({
          ...{ origin: url, path: '/', method: 'GET', headers: { authorization }, signal },
        });
        body.resume();
        return statusCode === 200 ? 'answers' : 'silent';
      } catch (error) {
        return codesOf(error).includes('ECONNREFUSED') ? 'refused' : 'silent';
      }
    },
    waiting: () => [...new Set([...open].map((one) => one.url))],
    close: () => agent.destroy(),
  };
}

const unsentCodes: readonly (string | undefined)[] = [
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];

function isUnsent(error: unknown): boolean {
  return codesOf(error).some((code) => unsentCodes.includes(code));
}

function codesOf(error: unknown): readonly (string | undefined)[] {
  const { code, cause } = error as { readonly code?: string; readonly cause?: { readonly code?: string } };
  return [code, cause?.code];
}
