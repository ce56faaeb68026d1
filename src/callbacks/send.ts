/** The one outgoing request: a single attempt at a callback; must not know of retries, projects or what is sent. */
import { lookup as systemLookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type AllowList, isForbiddenAddress, refuseUrl } from './address.ts';

const mostBodyBytes = 64 * 1024;

/** How an attempt ended: the receiver's answer, or why there is none, in a few words. */
export type Outcome = { readonly status: number; readonly retryAfter?: string } | { readonly error: string };

export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The bytes of the body, where they are not to be sent at once: each piece is asked for when that before is written. */
  readonly pieces?: AsyncIterable<Uint8Array>;
  /** Ends the attempt with the error `cancelled`. */
  readonly signal?: AbortSignal;
}

export interface Sender {
  /** Makes one attempt. Never throws. */
  send(delivery: Delivery): Promise<Outcome>;
  /** Cancels what is under way, and resolves when its connections have ended; later sends are cancelled at once. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly allow: AllowList;
  /** The wall time of one attempt: resolving, connecting, sending and the answer. */
  readonly timeoutMs: number;
  /** Resolves host names; the system's where not given. */
  readonly lookup?: LookupFunction;
}

/**
 * Every attempt has a connection of its own. One kept alive may have been closed by the receiver meanwhile, which
 * would look like a failed attempt; and one that hangs while connecting would take the next attempt down with it.
 */
export function createSender({ allow, timeoutMs, lookup = systemLookup }: SenderOptions): Sender {
  const closing = new AbortController();
  const underway = new Set<Promise<Outcome>>();
  const checkedLookup = createCheckedLookup(lookup);

  async function attempt(delivery: Delivery): Promise<Outcome> {
    const refusal = refuseUrl(delivery.url, allow);
    if (refusal !== undefined) return { error: refusal };
    const { Client } = await import('undici');
    const url = new URL(delivery.url);
    const deadline = createDeadline(timeoutMs, [closing.signal, delivery.signal]);
    // undici only gives up a request that has a connection: the signal has to end the connecting too.
    const connect = { lookup: checkedLookup, timeout: timeoutMs, signal: deadline.signal };
    const client = new Client(url.origin, { pipelining: 0, connect });
    try {
      return await exchange(client, url, delivery, deadline.signal);
    } catch (error) {
      return { error: deadline.reason() ?? describeError(error, timeoutMs) };
    } finally {
      deadline.clear();
      await client.destroy();
    }
  }

  return {
    async send(delivery) {
      const sending = attempt(delivery).catch((error: unknown) => ({ error: describeError(error, timeoutMs) }));
      underway.add(sending);
      try {
        return await sending;
      } finally {
        underway.delete(sending);
      }
    },
    async close() {
      closing.abort();
      await Promise.all(underway);
    },
  };
}

/** Sends and waits for the head; the body is read only so that a receiver's short answer ends in peace. */
async function exchange(
  client: Dispatcher,
  url: URL,
  { headers, body, pieces }: Delivery,
  signal: AbortSignal,
): Promise<Outcome> {
  // Without their length, pieces would be sent as chunks.
  const length = pieces && { 'content-length': String(Buffer.byteLength(body)) };
  const answer = await client.request({
    path: url.pathname + url.search,
    method: 'POST',
    headers: { ...headers, ...length, 'content-type': 'application/json', 'user-agent': 'field-sandbox' },
    // undici takes whatever can be iterated, which its types don't say.
    body: (pieces as Readable | undefined) ?? body,
    signal,
  });
  // With the head the outcome is known: a body that is too long, too slow or breaks off doesn't change it.
  await answer.body.dump({ limit: mostBodyBytes }).catch(() => undefined);
  const retryAfter = answer.headers['retry-after'];
  const first = typeof retryAfter === 'string' ? retryAfter : retryAfter?.[0];
  return first === undefined ? { status: answer.statusCode } : { status: answer.statusCode, retryAfter: first };
}

/** A signal that fires when the time is up or one of the others fires, and knows which it was. */
function createDeadline(
  timeoutMs: number,
  others: readonly (AbortSignal | undefined)[],
): { readonly signal: AbortSignal; reason(): string | undefined; clear(): void } {
  const controller = new AbortController();
  const cancel = () => controller.abort('cancelled');
  const timer = setTimeout(() => controller.abort(timedOut(timeoutMs)), timeoutMs);
  for (const other of others) {
    if (!other) continue;
    if (other.aborted) cancel();
    // Every attempt under way listens; node takes more than ten for a leak.
    setMaxListeners(0, other);
    other.addEventListener('abort', cancel);
  }
  return {
    signal: controller.signal,
    reason: () => (controller.signal.aborted ? String(controller.signal.reason) : undefined),
    clear() {
      clearTimeout(timer);
      for (const other of others) other?.removeEventListener('abort', cancel);
    },
  };
}

/** A look-up that fails where any of the addresses found is forbidden: a name may point anywhere. */
function createCheckedLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const forbidden = error ? undefined : toTexts(address).find(isForbiddenAddress);
      if (forbidden === undefined) callback(error, address, family);
      else callback(new Error(`address ${forbidden}${neverCalled}`), []);
    });
  };
}

/** Of one family only one address is found where Node is told not to try both. */
function toTexts(address: Parameters<Parameters<LookupFunction>[2]>[1]): readonly string[] {
  return typeof address === 'string' ? [address] : address.map((each) => each.address);
}

const neverCalled = ' is never called';

/** Why nobody was there to be asked. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be resolved',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate is from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate is from an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  EPROTO: 'the TLS handshake failed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the TLS handshake failed',
};

const messages: Readonly<Record<string, string>> = {
  ...unreached,
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without an answer',
};

/** Whether an attempt ended before anybody was asked: nobody listens there, or nobody who is to be trusted. */
export function isUnreached(outcome: Outcome): boolean {
  if ('status' in outcome) return false;
  return Object.values(unreached).includes(outcome.error) || outcome.error.endsWith(neverCalled);
}

/** Why a request came to nothing, in a few words. */
export function describeError(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'sending failed';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'].includes(code)) return timedOut(timeoutMs);
  if (error.name === 'HTTPParserError') return 'the answer is not HTTP';
  const message = messages[code] ?? error.message;
  return message === '' ? `sending failed (${code || error.name})` : message.slice(0, 200);
}

function timedOut(timeoutMs: number): string {
  return `timed out after ${timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`}`;
}
