/** Client of the control API of a sandbox in another process. */

import { describeError } from '../../callbacks/send.ts';
import { parseJson } from '../../client/send.ts';
import { toCredentials } from '../../config/keys.ts';
import type { WallClock } from '../../lib/time.ts';
import { noToken, wrongToken } from '../connect.ts';

/** A response, with its size in characters. */
export type Answered<Body> = { readonly kind: 'answered'; readonly body: Body; readonly size: number };

/** Result of a request: a response, an unknown path, a rejection, or a failure, which a retry may solve if it is not permanent. */
export type ControlResult<Body> =
  | Answered<Body>
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly isPermanent?: boolean };

export interface Control {
  /** Returns the JSON at a path. The path begins after `/_sandbox`. */
  get(path: string): Promise<ControlResult<unknown>>;
  /** Passes each piece of a stream's text to `onPiece` until the stream ends or times out. @returns why it ended */
  follow(
    path: string,
    lastId: string | undefined,
    onPiece: (piece: string) => Promise<void>,
  ): Promise<ControlResult<never>>;
}

export interface ControlAddress {
  /** Without a trailing slash, and without `/_sandbox`. */
  readonly url: string;
  readonly adminToken: string | undefined;
  /** API key of the client's projects, sent in place of the admin token. */
  readonly apiKey: string | undefined;
}

/** Timeout of a request, in milliseconds. */
const requestTimeoutMs = 30_000;

/** Maximum silence of an event stream, in milliseconds. A sandbox sends a heartbeat every 15 s. */
const maxSilenceMs = 45_000;

export function createControl(
  { url, adminToken, apiKey }: ControlAddress,
  wall: WallClock,
  signal: AbortSignal,
): Control {
  const credentials = toCredentials(adminToken, apiKey);

  async function request<Body>(
    path: string,
    headers: Record<string, string>,
    timeoutMs: number,
    read: (response: Response, restart: () => void) => Promise<ControlResult<Body>>,
  ): Promise<ControlResult<Body>> {
    const timeout = createTimeout(wall, timeoutMs, signal);
    try {
      // Redirects are not followed: the token is for this address only.
      const init = { headers: { ...credentials, ...headers }, redirect: 'manual', signal: timeout.signal } as const;
      const response = await fetch(`${url}/_sandbox${path}`, init);
      return response.ok ? await read(response, timeout.restart) : await toFailure(response);
    } catch (error) {
      if (timeout.hasExpired()) return { kind: 'failed', reason: `it sent no data for ${timeoutMs / 1000} s` };
      const { cause } = error as Error;
      const reason = describeError(cause instanceof Error ? cause : error, timeoutMs);
      return { kind: 'failed', reason, isPermanent: permanent.test(reason) };
    } finally {
      timeout.clear();
    }
  }

  async function toFailure(response: Response): Promise<ControlResult<never>> {
    const { status } = response;
    const text = await readText(response);
    const message = readMessage(text);
    if (status === 401 && adminToken !== undefined) return { kind: 'refused', reason: wrongToken };
    if (status === 401) return { kind: 'refused', reason: apiKey === undefined ? noToken : `${message}; ${noToken}` };
    if (status >= 500) return { kind: 'failed', reason: `it responded with ${status}` };
    if (message === undefined) return { kind: 'refused', reason: withSandboxHint(`it responded with ${status}`) };
    return status === 404 ? { kind: 'missing' } : { kind: 'refused', reason: message };
  }

  return {
    get: (path) =>
      request(path, {}, requestTimeoutMs, async (response) => {
        const text = await readText(response);
        const body = parseJson(text);
        return body === undefined
          ? { kind: 'refused', reason: withSandboxHint('its response is not JSON') }
          : { kind: 'answered', body, size: text.length };
      }),
    follow: (path, lastId, onPiece) =>
      request(
        path,
        lastId === undefined ? {} : { 'last-event-id': lastId },
        maxSilenceMs,
        async (response, restart) => {
          const type = response.headers.get('content-type') ?? 'no content type';
          if (!type.startsWith('text/event-stream'))
            return { kind: 'refused', reason: withSandboxHint(`expected text/event-stream, got ${type}`) };
          const decoder = new TextDecoder();
          for await (const bytes of bodyOf(response)) {
            restart();
            await onPiece(decoder.decode(bytes, { stream: true }));
          }
          return { kind: 'failed', reason: 'it closed the connection' };
        },
      ),
  };
}

/** Maximum size of a response, in bytes. An endless one would fill the memory. */
const maxBytes = 64 * 1024 ** 2;

/** @throws Error if the response is too large */
async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bodyOf(response)) {
    size += piece.length;
    if (size > maxBytes) throw new Error('its response is larger than 64 MB');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Errors that no later try solves: of the address, of its certificate, or of another protocol. */
const permanent = /^bad port|^certificate |^the TLS handshake|is not HTTP$|^unknown scheme/;

/** Returns the body; Node's type of it cannot be iterated. */
function bodyOf({ body }: Response): AsyncIterable<Uint8Array> {
  return (body ?? []) as unknown as AsyncIterable<Uint8Array>;
}

function withSandboxHint(why: string): string {
  return `${why}: is it a field-sandbox?`;
}

/** Returns the message of a sandbox's error response, or undefined if the text is none. */
function readMessage(text: string): string | undefined {
  const { message } = Object(parseJson(text)) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}

/** Creates a signal that aborts with its parent, or `ms` after the last restart. */
function createTimeout(wall: WallClock, ms: number, parent: AbortSignal) {
  // Not AbortSignal.any: on Node 20, a parent that lives long keeps what follows it.
  const controller = new AbortController();
  let expired = false;
  const abort = (): void => controller.abort();
  const start = (): (() => void) =>
    wall.after(ms, () => {
      expired = true;
      abort();
    });
  let cancel = start();
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    hasExpired: () => expired,
    restart: (): void => {
      cancel();
      cancel = start();
    },
    clear: (): void => {
      cancel();
      parent.removeEventListener('abort', abort);
    },
  };
}
