/** Asks the control API of a sandbox that runs elsewhere; knows what an answer means, not what is done with it. */
import type { WallClock } from '../base/time.ts';
import { describeError } from '../callbacks/send.ts';

/** How asking went: an answer, none of that name, a refusal that stays, or a failure that may pass. */
export type Asked<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface Control {
  /** The JSON at a path, which begins after `/_sandbox`. */
  ask(path: string): Promise<Asked<unknown>>;
  /** Gives each piece of a stream's text away until it ends or nothing comes any more; tells how that was. */
  follow(path: string, lastId: string | undefined, take: (piece: string) => void): Promise<Asked<never>>;
}

export interface ControlAddress {
  /** Without a trailing slash, and without `/_sandbox`. */
  readonly url: string;
  readonly adminToken: string | undefined;
}

/** How long an answer may take. */
const patienceMs = 30_000;

/** A sandbox says every 15 s that it is still there: who is silent for longer has gone without a word. */
const silenceMs = 45_000;

export function createControl({ url, adminToken }: ControlAddress, wall: WallClock, signal: AbortSignal): Control {
  const authorization: Record<string, string> =
    adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` };

  async function request<Answer>(
    path: string,
    headers: Record<string, string>,
    limitMs: number,
    read: (response: Response, restart: () => void) => Promise<Asked<Answer>>,
  ): Promise<Asked<Answer>> {
    const limit = createLimit(wall, limitMs, signal);
    try {
      // Not followed: the token is for this address alone.
      const init = { headers: { ...authorization, ...headers }, redirect: 'manual', signal: limit.signal } as const;
      const response = await fetch(`${url}/_sandbox${path}`, init);
      return response.ok ? await read(response, limit.restart) : await toRefusal(response);
    } catch (error) {
      if (limit.isOver()) return { kind: 'failed', reason: `it said nothing for ${limitMs / 1000} s` };
      const { cause } = error as Error;
      return { kind: 'failed', reason: describeError(cause instanceof Error ? cause : error, limitMs) };
    } finally {
      limit.clear();
    }
  }

  async function toRefusal(response: Response): Promise<Asked<never>> {
    const { status } = response;
    const text = await response.text();
    const message = readMessage(text);
    if (status === 401) return { kind: 'refused', reason: adminToken === undefined ? noToken : wrongToken };
    if (status >= 500) return { kind: 'failed', reason: `it answers ${status}` };
    if (message === undefined) return { kind: 'refused', reason: noSandbox(`it answers ${status}`) };
    return status === 404 ? { kind: 'missing' } : { kind: 'refused', reason: message };
  }

  return {
    ask: (path) =>
      request(path, {}, patienceMs, async (response) => {
        const answer = readJson(await response.text());
        return answer === undefined
          ? { kind: 'refused', reason: noSandbox('its answer is no JSON') }
          : { kind: 'answered', answer };
      }),
    follow: (path, lastId, take) =>
      request(path, lastId === undefined ? {} : { 'last-event-id': lastId }, silenceMs, async (response, restart) => {
        const type = response.headers.get('content-type') ?? 'nothing';
        if (!type.startsWith('text/event-stream'))
          return { kind: 'refused', reason: noSandbox(`it answers with ${type}`) };
        const decoder = new TextDecoder();
        for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
          restart();
          take(decoder.decode(bytes, { stream: true }));
        }
        return { kind: 'failed', reason: 'it has ended the connection' };
      }),
  };
}

const noToken = 'it asks for its admin token: give --admin-token or SANDBOX_ADMIN_TOKEN';
const wrongToken = 'the admin token is not its own';

function noSandbox(why: string): string {
  return `${why}: is it a field-sandbox?`;
}

/** The message of a sandbox's own refusal. */
function readMessage(text: string): string | undefined {
  const { message } = Object(readJson(text)) as { message?: unknown };
  return typeof message === 'string' ? message : undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A signal that fires with another one, or when so long nobody has restarted it. */
function createLimit(wall: WallClock, ms: number, other: AbortSignal) {
  const controller = new AbortController();
  let over = false;
  const abort = (): void => controller.abort();
  const start = (): (() => void) =>
    wall.after(ms, () => {
      over = true;
      abort();
    });
  let cancel = start();
  if (other.aborted) abort();
  other.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    isOver: () => over,
    restart: (): void => {
      cancel();
      cancel = start();
    },
    clear: (): void => {
      cancel();
      other.removeEventListener('abort', abort);
    },
  };
}
