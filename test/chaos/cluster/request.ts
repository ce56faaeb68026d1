/** Sends one request, and reads from its answer whether it was applied. */
import type { Counts, Fate, Ledger } from './ledger.ts';

export interface Answer {
  readonly fate: Fate;
  /** The body of a success; undefined for all others. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all kinds
  readonly body: any;
  readonly status: number | undefined;
  readonly how: string;
  readonly sentMs: number;
  readonly endedMs: number;
}

/** Longer than the server lets any request wait for its database. */
const patienceMs = 30_000;

type Read = Pick<Answer, 'fate' | 'body' | 'status' | 'how'> & { readonly count: keyof Counts };

/** Returns a function that sends requests to one address. */
export function createSender(url: string, ledger: Ledger) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const sentMs = performance.now();
    const { count, ...read } = await exchange(url + path, method, body, ledger).catch(toLost);
    ledger.counts[count] += 1;
    if (count === 'lost' || count === 'doubtful')
      ledger.lose(`${method} ${path} after ${Math.round(performance.now() - sentMs)} ms: ${read.how}`);
    return { ...read, sentMs, endedMs: performance.now() };
  };
}

export type Send = ReturnType<typeof createSender>;

async function exchange(url: string, method: string, body: unknown, ledger: Ledger): Promise<Read> {
  const answer = await fetch(url, {
    method,
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patienceMs),
  });
  const text = await answer.text();
  const { status } = answer;
  const how = `${status} ${text.slice(0, 300)}`;
  if (answer.headers.has('x-round-robin')) return { fate: 'absent', body: undefined, status, how, count: 'noReplica' };
  if (!url.includes('/_sandbox/')) ledger.noteRequestId(answer.headers.get('x-request-id'));
  if (answer.ok || status === 404)
    return {
      fate: answer.ok ? 'stored' : 'absent',
      body: answer.ok ? JSON.parse(text) : undefined,
      status,
      how,
      count: 'answered',
    };
  if (status === 502 && text.includes('was applied'))
    return { fate: 'stored', body: undefined, status, how, count: 'applied' };
  if (status === 503 && text.includes('was not applied'))
    return { fate: 'absent', body: undefined, status, how, count: 'notApplied' };
  if (status !== 503 || !text.includes('read what it would change')) ledger.violate(`${method} ${url}: ${how}`);
  return { fate: 'unknown', body: undefined, status, how, count: 'doubtful' };
}

function toLost(error: unknown): Read {
  const { message, cause } = error as Error;
  return {
    fate: 'unknown',
    body: undefined,
    status: undefined,
    how: `${message} ${String(cause ?? '')}`,
    count: 'lost',
  };
}
