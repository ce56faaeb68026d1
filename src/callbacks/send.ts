/** Sends a single attempt of a callback. Does not know about retries, projects or the content. */
import { lookup as systemLookup } from 'node:dns';
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { createWallClock, type WallClock } from '../lib/time.ts';
import { type AllowList, checkCallbackUrl, isForbiddenAddress } from './address.ts';
import { maxReadBytes, type ReceivedResponse, readResponse } from './response.ts';

/** The receiver's response, or a short description of why there is none. */
export type DeliveryResult =
  | { readonly status: number; readonly retryAfter?: string; readonly response?: ReceivedResponse }
  | { readonly error: string };

export interface Delivery {
  readonly url: string;
  /** Default: POST. */
  readonly method?: string;
  /** Default content type: application/json. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The bytes of the body to send in pieces, each requested when the one before it is written. */
  readonly pieces?: AsyncIterable<Uint8Array>;
  /** Aborts the attempt with the error `cancelled`. */
  readonly signal?: AbortSignal;
  /** Whether the result has the headers and the body of the response. */
  readonly keepsResponse?: true;
}

export interface Sender {
  /** Makes one attempt. Never throws. */
  send(delivery: Delivery): Promise<DeliveryResult>;
  /** Cancels attempts, also later ones. Resolves when the connections in progress are closed. */
  close(): Promise<void>;
}

export interface SenderOptions {
  readonly allow: AllowList;
  /** Timeout of one attempt on the wall clock: resolving, connecting, sending and the response. */
  readonly timeoutMs: number;
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  /** Measures the time until the response. Default: the system's clock. */
  readonly wall?: Pick<WallClock, 'elapsed'>;
}

/**
 * Creates a sender. Every attempt uses a new connection: the receiver may have closed a kept-alive one meanwhile, which
 * would look like a failed attempt, and one that hangs while connecting would make the next attempt fail too.
 */
export function createSender(options: SenderOptions): Sender {
  const { allow, timeoutMs, lookup = systemLookup, wall = createWallClock() } = options;
  const closing = new AbortController();
  const inProgress = new Set<Promise<DeliveryResult>>();
  const checkedLookup = createCheckedLookup(lookup);

  async function attempt(delivery: Delivery): Promise<DeliveryResult> {
    const forbiddenReason = checkCallbackUrl(delivery.url, allow);
    if (forbiddenReason !== undefined) return { error: forbiddenReason };
    const { Client } = await import('undici');
    const url = new URL(delivery.url);
    const deadline = createDeadline(timeoutMs, [closing.signal, delivery.signal]);
    // undici aborts only requests that are connected, so the signal must abort the connecting too.
    const connect = { lookup: checkedLookup, timeout: timeoutMs, signal: deadline.signal };
    const client = new Client(url.origin, { pipelining: 0, connect });
    try {
      return await exchange(client, url, delivery, deadline.signal, wall);
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
      inProgress.add(sending);
      try {
        return await sending;
      } finally {
        inProgress.delete(sending);
      }
    },
    async close() {
      closing.abort();
      await Promise.all(inProgress);
    },
  };
}

/** Sends the request and waits for the response head. Reads the body only so that a short response can end normally. */
async function exchange(
  client: Dispatcher,
  url: URL,
  { method = 'POST', headers, body, pieces, keepsResponse }: Delivery,
  signal: AbortSignal,
  wall: Pick<WallClock, 'elapsed'>,
): Promise<DeliveryResult> {
  const startedMs = wall.elapsed();
  // Without this header, pieces would be sent with chunked encoding.
  const length = pieces && { 'content-length': String(Buffer.byteLength(body)) };
  const response = await client.request({
    path: url.pathname + url.search,
    method: method as Dispatcher.HttpMethod,
    headers: { 'content-type': 'application/json', 'user-agent': 'field-sandbox', ...headers, ...length },
    // undici accepts any iterable, but its types do not say so.
    body: (pieces as Readable | undefined) ?? body,
    signal,
  });
  const durationMs = wall.elapsed() - startedMs;
  const { statusCode: status, headers: received } = response;
  const [retryAfter] = [received['retry-after']].flat();
  const head = retryAfter === undefined ? { status } : { status, retryAfter };
  // The head determines the outcome. A body that is too long, too slow or cut off does not change it.
  if (keepsResponse) return { ...head, response: await readResponse(response, durationMs) };
  await response.body.dump({ limit: maxReadBytes }).catch(() => undefined);
  return head;
}

/** Creates a signal that aborts at the timeout or when one of the others aborts, and stores the reason. */
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
    // Every attempt in progress adds a listener; Node warns about a leak above ten.
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

/** Creates a lookup that fails if any resolved address is forbidden: a name may resolve to any address. */
function createCheckedLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const forbidden = error ? undefined : toTexts(address).find(isForbiddenAddress);
      if (forbidden === undefined) callback(error, address, family);
      else callback(new Error(`address ${forbidden}${forbiddenSuffix}`), []);
    });
  };
}

/** Node returns a single address if it is configured not to try both address families. */
function toTexts(address: Parameters<Parameters<LookupFunction>[2]>[1]): readonly string[] {
  return typeof address === 'string' ? [address] : address.map((each) => each.address);
}

const forbiddenSuffix = ' is forbidden for callbacks';

/** Message for a lack of file descriptors. A socket needs one, and so does loading a package at its first use. */
const noDescriptors = 'the sandbox has no file descriptors left: raise the limit on open files (ulimit -n)';

const trustHint = '; to trust it, start with NODE_EXTRA_CA_CERTS=FILE';

/** Errors of attempts that did not reach the receiver. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be resolved',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: `certificate is self-signed${trustHint}`,
  SELF_SIGNED_CERT_IN_CHAIN: `certificate is self-signed${trustHint}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `certificate is from an unknown authority${trustHint}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `certificate is from an unknown authority${trustHint}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  EPROTO: 'the TLS handshake failed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the TLS handshake failed',
};

const messages: Readonly<Record<string, string>> = {
  ...unreached,
  MODULE_NOT_FOUND: 'the sandbox could not load one of its own files: were they replaced while it was running?',
  EMFILE: noDescriptors,
  ENFILE: noDescriptors,
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed without a response',
};

/** Whether the request was not sent: the receiver was not reached or not trusted, or its address is forbidden. */
export function isUnreachable(outcome: DeliveryResult): boolean {
  if ('status' in outcome) return false;
  return Object.values(unreached).includes(outcome.error) || outcome.error.endsWith(forbiddenSuffix);
}

/** Describes in a few words why a request failed. */
export function describeError(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'sending failed';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'].includes(code)) return timedOut(timeoutMs);
  if (error.name === 'HTTPParserError') return 'the response is not HTTP';
  const message = messages[code] ?? error.message;
  return message === '' ? `sending failed (${code || error.name})` : message.slice(0, 200);
}

function timedOut(timeoutMs: number): string {
  return `timed out after ${timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`}`;
}
