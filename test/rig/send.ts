/** Sends one request, and reads from its answer whether it was applied. */
import type { Counts, Fate, Ledger } from './ledger.ts';

export interface Answer {
  readonly fate: Fate;
  /** The body of a success; undefined for all others. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all kinds
  readonly body: any;
  /** Undefined without an answer. */
  readonly status: number | undefined;
  readonly how: string;
  readonly sentMs: number;
  readonly endedMs: number;
}

/** What is allowed to come of a request. */
interface Allowed {
  /** Statuses beside those of a success. */
  readonly expected?: readonly number[];
  /** Whether ids of requests may come again, since their project is reset. */
  readonly repeatsIds?: true;
}

export type Send = (method: string, path: string, body?: unknown, allowed?: Allowed) => Promise<Answer>;

/** Longer than the server lets any request wait for its database. */
const patienceMs = 30_000;

type Read = Pick<Answer, 'fate' | 'body' | 'status' | 'how'> & { readonly count: keyof Counts };

/** Returns a function that sends requests to one address. */
export function createSender(url: string, ledger: Ledger): Send {
  return async (method, path, body, allowed = {}) => {
    const sentMs = performance.now();
    const { count, ...read } = await exchange(ledger, allowed, url + path, method, body).catch(toLost);
    ledger.counts[count] += 1;
    if (count === 'lost' || count === 'doubtful')
      ledger.lose(`${method} ${path} after ${Math.round(performance.now() - sentMs)} ms: ${read.how}`);
    return { ...read, sentMs, endedMs: performance.now() };
  };
}

async function exchange(
  ledger: Ledger,
  { expected = [], repeatsIds }: Allowed,
  ...[url, method, body]: readonly [url: string, method: string, body: unknown]
): Promise<Read> {
  const answer = await fetch(url, {
    method,
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await answer.text();
  const { status, ok } = answer;
  const how = `${status} ${text.slice(0, 300)}`;
  const read = (fate: Fate, count: keyof Counts): Read => ({ fate, count, body: undefined, status, how });
  if (answer.headers.has('x-round-robin')) return read('absent', 'noReplica');
  if (!url.includes('/_sandbox/') && !repeatsIds) ledger.noteRequestId(answer.headers.get('x-request-id'));
  if (ok) return { ...read('stored', 'answered'), body: JSON.parse(text) };
  if (expected.includes(status)) return read('absent', 'answered');
  if (status === 502 && text.includes('may have been applied')) return read('unknown', 'unconfirmed');
  if (status === 503 && text.includes('was not applied')) return read('absent', 'notApplied');
  if (status !== 503 || !text.includes('read what it would change')) ledger.violate(`${method} ${url}: ${how}`);
  return read('unknown', 'doubtful');
}

function toLost(error: unknown): Read {
  const { message, cause } = error as Error;
  const how = `${message} ${String(cause ?? '')}`;
  return { fate: 'unknown', body: undefined, status: undefined, how, count: 'lost' };
}
