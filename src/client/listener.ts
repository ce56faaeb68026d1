/** The client's side of a project's listener: stays connected, has each attempt answered, and sends the answers. */
import type { ListenedAttempt, ListenerAnswer } from '../callbacks/listener.ts';
import { isDelivered } from '../callbacks/retry.ts';
import type { WallClock } from '../lib/time.ts';
import { pause } from './backoff.ts';
import {
  AnswerError,
  type ClientTarget,
  ControlClient,
  type Failure,
  isTemporary,
  toProjectPath,
  toQuery,
} from './client.ts';
import type { SentEvent } from './event-stream.ts';
import { followEvents } from './follow.ts';

/** Why a client is no longer the listener. */
export type ListenerEnd =
  | { readonly kind: 'closed' }
  /** The project was reset. The client may connect again. */
  | { readonly kind: 'reset' }
  /** Another client has replaced this one. */
  | { readonly kind: 'taken over' }
  /** The sandbox has refused it; with the code `listener_taken`, because another client is the listener. */
  | { readonly kind: 'refused'; readonly failure: Failure };

/** Whether the sandbox took an answer; `kept` from an earlier attempt, or too `late`. */
export type AnswerOutcome = 'counted' | 'kept' | 'late';

export interface ListenerParts {
  readonly project: string;
  readonly since?: string | undefined;
  readonly takeover?: boolean;
  readonly wall: WallClock;
  /** Ends the connection. */
  readonly signal: AbortSignal;
  /** Returns what the receiver responds. Never throws. */
  handle(attempt: ListenedAttempt): Promise<ListenerAnswer>;
  /** Called at each connection. `id` identifies it. */
  connected(id: string): void;
  waiting?(reason: string, ms: number): void;
  answered?(attempt: ListenedAttempt, outcome: AnswerOutcome): void;
}

/** Timeout of an answer, and the pause before it is sent again, in milliseconds. */
const answerMs = 10_000;
const pauseMs = 200;
/** How often an answer is sent. */
const maxTries = 20;
/** How long the end of a stream may take to arrive after the answer that it made late, in milliseconds. */
const lateMs = 500;
/** Maximum number of answers that are kept. */
const maxKept = 1000;

export class ListenerClient {
  readonly #client: ControlClient;
  readonly #parts: ListenerParts;
  readonly #path: string;
  /**
   * Answers with 2xx that did not reach the sandbox in time, by callback. They answer the next attempt, so that the
   * receiver does not get a callback again that it has taken.
   */
  readonly #kept = new Map<string, ListenerAnswer>();

  constructor(target: ClientTarget, parts: ListenerParts) {
    this.#client = new ControlClient({ ...target, timeoutMs: answerMs });
    this.#parts = parts;
    this.#path = `${toProjectPath(parts.project)}/listener`;
  }

  /** Listens until this client is no longer the listener. Connects again if the connection breaks. */
  async run(): Promise<ListenerEnd> {
    const { wall, signal, since, takeover, connected, waiting = () => undefined } = this.#parts;
    const close = (): void => this.#client.close();
    signal.addEventListener('abort', close);
    if (signal.aborted) close();
    // A client that was the listener before takes over from nobody else.
    const toPath = (lastId?: string) => this.#path + (lastId === undefined ? toQuery({ since, takeover }) : '');
    let connection: AbortSignal | undefined;
    const read = async (events: readonly SentEvent[], id: string | undefined, lost: AbortSignal): Promise<void> => {
      if (connection !== lost && id !== undefined) {
        connection = lost;
        connected(id);
      }
      for (const event of events) this.#take(event, lost);
    };
    try {
      await followEvents(this.#client, toPath, { wall, signal, waiting, read });
      return { kind: 'closed' };
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      const { failure } = error;
      const { code } = failure;
      return code === 'reset' || code === 'taken over' ? { kind: code } : { kind: 'refused', failure };
    } finally {
      signal.removeEventListener('abort', close);
    }
  }

  /** @throws AnswerError if this client is no longer the listener */
  #take({ kind, text }: SentEvent, lost: AbortSignal): void {
    if (kind === 'attempt') void this.#answer(JSON.parse(text) as ListenedAttempt, lost);
    if (kind !== 'gone') return;
    const { reason: code } = JSON.parse(text) as { reason: string };
    const reason = code === 'stopping' ? 'unreachable' : 'refused';
    throw new AnswerError({ ok: false, reason, message: `it is ${code}`, code });
  }

  async #answer(attempt: ListenedAttempt, lost: AbortSignal): Promise<void> {
    const { handle, answered } = this.#parts;
    const { callbackId } = attempt;
    const kept = this.#kept.get(callbackId);
    this.#kept.delete(callbackId);
    const answer = kept ?? (await handle(attempt));
    const counts = await this.#send(attempt.id, answer, lost);
    if (!counts && lost.aborted && isDelivered(answer)) this.#keep(callbackId, answer);
    answered?.(attempt, !counts ? 'late' : kept ? 'kept' : 'counted');
  }

  #keep(callbackId: string, answer: ListenerAnswer): void {
    this.#kept.set(callbackId, answer);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Sends an answer until the sandbox responds. Returns whether it counts. */
  async #send(id: string, answer: ListenerAnswer, lost: AbortSignal): Promise<boolean> {
    const { wall, signal } = this.#parts;
    const path = `${this.#path}/attempts/${encodeURIComponent(id)}`;
    for (let tries = 0; tries < maxTries && !signal.aborted; tries += 1) {
      const sent = await this.#client.ask('PUT', path, answer);
      // With 409, an earlier try has counted.
      if (sent.ok || sent.status === 409) return true;
      // Such as a status that no receiver sends: the attempt fails with the reason, instead of waiting for its end.
      if (sent.status === 400 && !('error' in answer)) return this.#send(id, { error: toReason(sent) }, lost);
      const isFinal = sent.reason === 'refused' && !isTemporary(sent);
      await pause(wall, isFinal ? lateMs : pauseMs, lost);
      if (isFinal || lost.aborted) return false;
    }
    return false;
  }
}

/** Maximum length of an error in an answer. */
const maxErrorLength = 200;

function toReason({ message }: Failure): string {
  return `the answer is not valid: ${message}`.slice(0, maxErrorLength);
}
