/** A project's listener: a client that is connected to the sandbox, and answers attempts in place of a callback URL. */
import { timedOut } from '../lib/describe-error.ts';
import { createHash } from '../lib/random.ts';
import { toTimestamp, type WallClock } from '../lib/time.ts';
import type { Endpoint } from './callback.ts';
import type { Delivery, DeliveryResult, ReceivedResponse } from './send.ts';
import { defaultSecret } from './signature.ts';

/** Begins the URL of an endpoint that is the listener; the path of attempts follows. */
const scheme = 'listener:';

/** URL of the endpoint of a project that has a listener, and no callback URL. */
export const listenerUrl: string = `${scheme}/`;

/** Whether an endpoint is the project's listener, connected or not. */
export function isListener(url: string): boolean {
  return url.startsWith(scheme);
}

/** Why a listener is no longer one. */
export type GoneReason = 'taken over' | 'reset' | 'stopping';

/** An attempt as the listener gets it. */
export interface ListenedAttempt {
  readonly id: string;
  readonly callbackId: string;
  /** Number of the attempt within its callback, from 1. */
  readonly number: number;
  /** Time of the attempt on the project's clock. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64. */
  readonly body: string;
  /** When the attempt times out, in real time. */
  readonly deadline: string;
}

/** What the receiver behind a listener responded, or why it did not. */
export type ListenerAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly latencyMs?: number;
    }
  | { readonly error: string };

/** A client that is the listener. */
export interface ListenerConnection {
  /** When it connected, in real time; unique within the project. */
  readonly since: string;
  readonly address: string;
  send(attempt: ListenedAttempt): void;
  /** Ends the connection. Without a reason, the client may connect again. */
  end(reason?: GoneReason): void;
}

/** An attempt to send to the listener. */
export type ListenerDelivery = Pick<Delivery, 'url' | 'method' | 'headers' | 'body'> &
  Pick<ListenedAttempt, 'callbackId' | 'number' | 'at'>;

interface Deps {
  readonly wall: WallClock;
  /** Timeout of one attempt, in milliseconds. */
  readonly timeoutMs: number;
}

interface Waiting {
  readonly startedMs: number;
  readonly settle: (result: DeliveryResult) => void;
}

/** How long a listener that has lost its connection may take to come back, in milliseconds. */
const graceMs = 5000;

/** Number of answered attempts that are remembered, to tell a second answer from a late one. */
const maxAnswered = 1000;

const disconnected: DeliveryResult = { error: 'listener disconnected' };

/** The listener of one project, which may come and go. */
export class Listener {
  readonly #deps: Deps;
  readonly #waiting = new Map<string, Waiting>();
  readonly #answered = new Set<string>();
  /** Called when a listener connects, or when none will. */
  readonly #arrivals = new Set<() => void>();
  #connection: ListenerConnection | undefined;
  #wasConnected = false;
  /** Where callbacks go in place of the project's URL while there is a listener. */
  #target: Endpoint | undefined;
  /** When the last listener was lost. A project that was just loaded may have lost its listener by that. */
  #lostMs: number;
  #sent = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#lostMs = deps.wall.elapsed();
  }

  /** The client that is connected now. */
  get connection(): ListenerConnection | undefined {
    return this.#connection;
  }

  /** Returns where callbacks go instead of the project's own endpoint, while there is a listener or may be again. */
  endpointOr(own: Endpoint | undefined): Endpoint | undefined {
    if (own && isListener(own.url)) return own;
    if (!this.#connection && (!this.#wasConnected || this.#graceLeftMs() <= 0)) return own;
    const { pathname, search } = new URL(own?.url ?? listenerUrl);
    const url = `${scheme}${pathname}${search}`;
    const secret = own?.secret ?? defaultSecret;
    if (this.#target?.url !== url || this.#target.secret !== secret)
      this.#target = { url, secret, disabled: this.#target?.disabled ?? false };
    return this.#target;
  }

  /** Notes the endpoint that was set: it enables or disables a listener too, and one that is gone is not waited for. */
  endpointChanged(own: Endpoint | undefined): void {
    this.#target = own;
    if (this.#connection) return;
    this.#lostMs = Number.NEGATIVE_INFINITY;
    this.#notifyArrivals();
  }

  /** Makes a client the listener. `reason` is for the one before. Returns a function to call when the client has left. */
  connect(connection: ListenerConnection, reason?: GoneReason): () => void {
    this.#replace(reason);
    this.#connection = connection;
    this.#wasConnected = true;
    this.#target = undefined;
    this.#notifyArrivals();
    return () => {
      if (this.#connection === connection) this.#replace(undefined);
    };
  }

  /** Ends the connection, and all attempts that wait for it. */
  end(reason: GoneReason | undefined): void {
    this.#replace(reason);
    this.#lostMs = Number.NEGATIVE_INFINITY;
    this.#notifyArrivals();
  }

  /** Makes one attempt. Waits for a listener that may come back. */
  async send(delivery: ListenerDelivery): Promise<DeliveryResult> {
    const connection = this.#connection ?? (await this.#arrival());
    if (!connection) return disconnected;
    const { wall, timeoutMs } = this.#deps;
    const { url, callbackId, number, at, method = 'POST', headers, body } = delivery;
    this.#sent += 1;
    // Unique also after a restart: a late answer to an earlier attempt must not count for another one.
    const id = `att_${createHash('listener', callbackId, String(wall.now())).of(String(this.#sent))}`;
    return new Promise((resolve) => {
      const settle = (result: DeliveryResult): void => {
        cancel();
        this.#waiting.delete(id);
        resolve(result);
      };
      const cancel = wall.after(timeoutMs, () => settle({ error: timedOut(timeoutMs) }));
      this.#waiting.set(id, { startedMs: wall.elapsed(), settle });
      connection.send({
        id,
        callbackId,
        number,
        at,
        method,
        path: url.slice(scheme.length),
        headers,
        body: Buffer.from(body).toString('base64'),
        deadline: toTimestamp(wall.now() + timeoutMs),
      });
    });
  }

  /** Takes an answer. `unknown`: no such attempt waits, or it is over; `answered`: it has an answer already. */
  answer(id: string, answer: ListenerAnswer): 'taken' | 'unknown' | 'answered' {
    const waiting = this.#waiting.get(id);
    if (!waiting) return this.#answered.has(id) ? 'answered' : 'unknown';
    this.#answered.add(id);
    const [oldest] = this.#answered;
    if (this.#answered.size > maxAnswered && oldest !== undefined) this.#answered.delete(oldest);
    waiting.settle(this.#toResult(answer, waiting.startedMs));
    return 'taken';
  }

  #toResult(answer: ListenerAnswer, startedMs: number): DeliveryResult {
    if ('error' in answer) return answer;
    const { status, body = '', latencyMs = this.#deps.wall.elapsed() - startedMs } = answer;
    const given = Object.entries(answer.headers ?? {});
    const headers = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]));
    const durationMs = Math.round(latencyMs * 1000) / 1000;
    const response: ReceivedResponse = { headers, body, size: Buffer.byteLength(body), isWhole: true, durationMs };
    const retryAfter = headers['retry-after'];
    return { status, ...(retryAfter !== undefined && { retryAfter }), response };
  }

  #replace(reason: GoneReason | undefined): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    this.#lostMs = this.#deps.wall.elapsed();
    for (const { settle } of this.#waiting.values()) settle(disconnected);
    connection.end(reason);
  }

  #graceLeftMs(): number {
    return this.#lostMs + graceMs - this.#deps.wall.elapsed();
  }

  /** Resolves when a listener connects, or when the time to come back has passed. */
  #arrival(): Promise<ListenerConnection | undefined> {
    const leftMs = this.#graceLeftMs();
    if (leftMs <= 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const settle = (): void => {
        cancel();
        this.#arrivals.delete(settle);
        resolve(this.#connection);
      };
      const cancel = this.#deps.wall.after(leftMs, settle);
      this.#arrivals.add(settle);
    });
  }

  #notifyArrivals(): void {
    for (const notify of this.#arrivals) notify();
  }
}
