/** Sends a single attempt of a callback. Does not know about retries, projects or the content. */
import { lookup as systemLookup } from 'node:dns';
import { once, setMaxListeners } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { describeError, isUnreached, timedOut } from '../lib/describe-error.ts';
import { createWallClock, type WallClock } from '../lib/time.ts';
import { timers } from '../lib/timers.ts';
import { type AllowList, checkCallbackUrl, isForbiddenAddress } from './address.ts';
import type { ReceiverResponse } from './callback.ts';

/** A response as it was received. */
export interface ReceivedResponse extends Omit<ReceiverResponse, 'bodyCut'> {
  /** Size of the whole body in bytes, as far as it is known. */
  readonly size: number;
  /** Whether the body was read to its end. */
  readonly isWhole: boolean;
}

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
    const url = new URL(delivery.url);
    const { request: open } = await import(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const { method = 'POST', headers, body, pieces, keepsResponse } = delivery;
    // Without this header, pieces would be sent with chunked encoding.
    const length = pieces && { 'content-length': String(Buffer.byteLength(body)) };
    const startedMs = wall.elapsed();
    const request: ClientRequest = open(url, {
      method,
      headers: { host: url.host, connection: 'close', ...defaultHeaders, ...headers, ...length },
      agent: false,
      lookup: checkedLookup,
      maxHeaderSize: maxHeadBytes,
    });
    const clearDeadline = setDeadline(request, timeoutMs, [closing.signal, delivery.signal]);
    try {
      const receiving = receiveHead(request);
      if (pieces) sendPieces(request, pieces).catch(() => undefined);
      else request.end(body);
      const response = await receiving;
      const received = await readResponse(response, wall.elapsed() - startedMs);
      const { statusCode: status = 0 } = response;
      const retryAfter = response.headers['retry-after'];
      // The head determines the outcome. A body that is too long, too slow or cut off does not change it.
      return { status, ...(retryAfter !== undefined && { retryAfter }), ...(keepsResponse && { response: received }) };
    } catch (error) {
      return { error: describeError(error, timeoutMs) };
    } finally {
      clearDeadline();
      const { socket } = request;
      if (socket && !socket.destroy().closed) await once(socket, 'close');
    }
  }

  return {
    send(delivery) {
      const sending = attempt(delivery)
        .catch((error: unknown) => ({ error: describeError(error, timeoutMs) }))
        .finally(() => inProgress.delete(sending));
      inProgress.add(sending);
      return sending;
    },
    async close() {
      closing.abort();
      await Promise.all(inProgress);
    },
  };
}

/**
 * Resolves with the final response. Skips interim responses. Ends the connection if the receiver sends too many of them,
 * or too many bytes: HTTP limits neither.
 */
function receiveHead(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => {
      reject(new Error(message));
      request.destroy();
    };
    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > maxInterim) fail(`the receiver sent more than ${maxInterim} interim responses (1xx)`);
    });
    request.on('socket', (socket) =>
      socket.on('data', () => {
        if (socket.bytesRead > maxExchangeBytes)
          fail(`the receiver sent more than ${maxExchangeBytes / 1024} kB without a final response`);
      }),
    );
    request.on('upgrade', () => fail('the receiver switched protocols (101)'));
    request.on('response', resolve).on('error', reject);
    request.on('close', () => reject(new Error('socket hang up')));
  });
}

/** Sends the pieces of a body, each requested when the one before it is written. */
async function sendPieces(request: ClientRequest, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) await new Promise((written) => request.write(piece, written));
  request.end();
}

/** Ends a request at the timeout, or when one of the signals aborts. Returns how to stop that. */
function setDeadline(
  request: ClientRequest,
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): () => void {
  const cancel = () => request.destroy(new Error('cancelled'));
  const timer = timers.setTimeout(() => request.destroy(new Error(timedOut(timeoutMs))), timeoutMs);
  for (const signal of signals) {
    if (!signal) continue;
    if (signal.aborted) cancel();
    // Every attempt in progress adds a listener; Node warns about a leak above ten.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', cancel);
  }
  return () => {
    timers.clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener('abort', cancel);
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

const defaultHeaders = { 'content-type': 'application/json', 'user-agent': 'field-sandbox' };

/** Maximum size of a response head, interim or final. */
export const maxHeadBytes: number = 16 * 1024;

/** Maximum size of a body that is read, so that a short response can end normally. */
const maxReadBytes = 64 * 1024;

/** Size that is read of a body that is longer anyway: more than what is stored of it. */
const startBytes = 8 * 1024;

/** Maximum number of bytes that an attempt reads, whatever they are: a head, a body, and what surrounds them. */
const maxExchangeBytes = maxHeadBytes + maxReadBytes;

/** Maximum number of interim responses: some receivers send one a second while they work. */
const maxInterim = 100;

/** Reads the beginning of the body. Never throws: a body that is too slow or cut off ends where it does. */
async function readResponse(message: IncomingMessage, durationMs: number): Promise<ReceivedResponse> {
  const { headers } = message;
  const announced = Number(headers['content-length'] ?? 0) || 0;
  const limit = announced > maxReadBytes ? startBytes : maxReadBytes;
  const chunks: Uint8Array[] = [];
  let read = 0;
  let isWhole = false;
  // The iteration throws the error; without a listener, it would also end the process.
  message.on('error', () => undefined);
  try {
    for await (const chunk of message) {
      chunks.push(chunk);
      read += chunk.length;
      if (read > limit) break;
    }
    isWhole = read <= limit;
  } catch {
    // What was read is stored.
  }
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])),
    body: decode(Buffer.concat(chunks), headers['content-type']),
    size: isWhole ? read : Math.max(Math.min(read, limit), announced),
    isWhole,
    durationMs: Math.round(durationMs * 1000) / 1000,
  };
}

/** Decodes a body by the charset of its content type; by default UTF-8. Bytes that are no text become U+FFFD. */
function decode(bytes: Buffer, contentType: string | undefined): string {
  const [, charset] = /charset="?([\w-]+)/i.exec(contentType ?? '') ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Whether the request was not sent: the receiver was not reached or not trusted, or its address is forbidden. */
export function isUnreachable(outcome: DeliveryResult): boolean {
  if ('status' in outcome) return false;
  return isUnreached(outcome.error) || outcome.error.endsWith(forbiddenSuffix);
}
