/** `listen --answer show`: forwards each attempt of a sandbox once, in order, even if the connection breaks. */
import pLimit from 'p-limit';
import type { Sender } from '../../callbacks/send.ts';
import { askUntilAnswered } from '../../client/backoff.ts';
import { bodyOf, type ControlClient, type Query, toProjectPath, toQuery } from '../../client/client.ts';
import type { SentEvent } from '../../client/event-stream.ts';
import { followEvents } from '../../client/follow.ts';
import type { WallClock } from '../../lib/time.ts';
import type { components } from '../../openapi/control.gen.ts';
import { maxParallel } from '../connect.ts';
import { type AttemptNotice, type Forwarded, type Notice, toForwarded } from './notice.ts';

type Callback = components['schemas']['Callback'];
type Attempt = Callback['attempts'][number];
type Summary = components['schemas']['ProjectSummary'];

export interface ListenTarget {
  readonly url: string;
  /** The project to listen to; undefined for all projects. */
  readonly project: string | undefined;
  /** URL of the receiver; if undefined, attempts are only reported. */
  readonly forwardTo: string | undefined;
  /** Secret of callbacks, for headers that contain it. */
  readonly secret: string;
}

export interface ListenParts {
  readonly client: ControlClient;
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
  /** Stops listening. */
  readonly signal: AbortSignal;
  notify(notice: Notice): void;
  waiting(reason: string, againInMs: number): void;
}

/** The attempts of a callback that were seen. */
interface Seen {
  readonly count: number;
  /** Time and headers of the last of them: a sandbox that was restarted may assign the same ids again. */
  readonly last: string;
}

/** A callback event's data. */
interface ChangedCallback {
  readonly id: string;
  readonly project: string;
  readonly attempts: number;
}

export class Forwarder {
  readonly #target: ListenTarget;
  readonly #parts: ListenParts;
  readonly #seen = new Map<string, Map<string, Seen>>();
  /** The last attempt of each project, so that those of one project follow each other. */
  readonly #queues = new Map<string, Promise<void>>();

  constructor(target: ListenTarget, parts: ListenParts) {
    this.#target = target;
    this.#parts = parts;
  }

  /** Runs until the signal is aborted. Skips earlier attempts. @throws AnswerError if the sandbox refuses */
  async run(): Promise<void> {
    const { url, project, forwardTo } = this.#target;
    const { client, notify } = this.#parts;
    await this.#takeAll();
    const addresses = { url, ...(project !== undefined && { project }), ...(forwardTo !== undefined && { forwardTo }) };
    let isStarted = false;
    return followEvents(client, `/events${toQuery({ project })}`, {
      ...this.#parts,
      opened: () => notify({ event: 'listening', ...addresses }),
      read: async (events) => {
        // Attempts between the listing and the stream's start are in no event.
        if (!isStarted) await this.#forwardAll();
        isStarted = true;
        for (const event of events) await this.#take(event);
      },
    });
  }

  async #take({ kind, text }: SentEvent): Promise<void> {
    const data = JSON.parse(text) as ChangedCallback & Readonly<Record<string, unknown>>;
    // Later attempts have events of their own, which keep the order among callbacks.
    if (kind === 'callback' && data.attempts > 0) await this.#forwardChanged(data);
    if (kind === 'change' && data['what'] === 'reset') this.#forget(data.project);
    if (kind !== 'gap') return;
    this.#parts.notify({ event: 'missed', reason: String(data['reason']) });
    await this.#forwardAll();
  }

  /** Forwards all attempts that are not seen yet, in the order in which the sandbox made them. */
  async #forwardAll(): Promise<void> {
    const found = await this.#takeAll();
    for (const one of found.toSorted((a, b) => Date.parse(a.attempt.at) - Date.parse(b.attempt.at))) this.#enqueue(one);
  }

  async #forwardChanged({ project, id, attempts }: ChangedCallback): Promise<void> {
    const { client, signal, notify } = this.#parts;
    const path = `${toProjectPath(project)}/callbacks/${encodeURIComponent(id)}`;
    const answer = await askUntilAnswered(() => client.ask<Callback>('GET', path), this.#parts);
    if (signal.aborted) return;
    if (!answer.ok) return notify({ event: 'gone', project, id });
    for (const one of this.#takeNew(project, answer.body, attempts)) this.#enqueue(one);
  }

  /** Returns the attempts that are not seen yet, of all projects. Forgets the projects that do not exist any more. */
  async #takeAll(): Promise<readonly NewAttempt[]> {
    const { project: only } = this.#target;
    const projects = only === undefined ? await this.#all<Summary>('/projects') : [];
    const named = projects.filter(({ counts }) => counts.callbacks > 0).map(({ id }) => id);
    const ids = new Set(only === undefined ? named : [only]);
    for (const known of this.#seen.keys()) if (!ids.has(known)) this.#seen.delete(known);
    const inTurn = pLimit(maxParallel);
    const readNew = async (project: string): Promise<readonly NewAttempt[]> => {
      const path = `${toProjectPath(project)}/callbacks`;
      const callbacks = await inTurn(() => this.#all<Callback>(path, { limit: pageSize }));
      return callbacks.flatMap((callback) => this.#takeNew(project, callback));
    };
    return (await Promise.all([...ids].map(readNew))).flat();
  }

  async #all<Item>(path: string, query?: Query): Promise<readonly Item[]> {
    return bodyOf(await askUntilAnswered(() => this.#parts.client.all<Item>(path, query), this.#parts));
  }

  /** Returns the attempts among the first `upTo` that are not seen yet, and notes them. */
  #takeNew(project: string, callback: Callback, upTo: number = callback.attempts.length): readonly NewAttempt[] {
    const { id, attempts } = callback;
    const callbacks = this.#seen.get(project) ?? new Map<string, Seen>();
    this.#seen.set(project, callbacks);
    const seen = callbacks.get(id);
    const from = seen && toMark(attempts[seen.count - 1]) === seen.last ? seen.count : 0;
    if (upTo <= from) return [];
    callbacks.set(id, { count: upTo, last: toMark(attempts[upTo - 1]) });
    return attempts
      .slice(from, upTo)
      .map((attempt, index) => ({ project, callback, attempt, number: from + index + 1 }));
  }

  /** Forgets a project, or all if null: after a reset a project may send the same callbacks again. */
  #forget(project: string | null): void {
    if (project === null) this.#seen.clear();
    else this.#seen.delete(project);
  }

  #enqueue(one: NewAttempt): void {
    const { project } = one;
    const queue = (this.#queues.get(project) ?? Promise.resolve())
      .then(() => this.#forward(one))
      .finally(() => {
        if (this.#queues.get(project) === queue) this.#queues.delete(project);
      });
    this.#queues.set(project, queue);
  }

  /** Forwards and reports an attempt. Without a receiver it only reports it. */
  async #forward({ project, callback, attempt, number }: NewAttempt): Promise<void> {
    const { signal, wall, notify } = this.#parts;
    const { forwardTo } = this.#target;
    if (signal.aborted) return;
    const { id, type } = callback;
    const sandbox = attempt.status ?? attempt.error ?? 'inbox';
    const failed = failedOf(callback);
    const notice = { event: 'callback', at: attempt.at, project, type, id, attempt: number, failed, sandbox } as const;
    if (forwardTo === undefined) return notify(notice satisfies AttemptNotice);
    const hint = toHint(attempt, wall.now());
    const forwarded = await this.#send(forwardTo, callback.method, attempt);
    if (!signal.aborted) notify({ ...notice, forwarded, ...(hint && { hint }) });
  }

  async #send(url: string, method = 'POST', { headers, sent }: Attempt): Promise<Forwarded> {
    const { sender, wall, signal } = this.#parts;
    const startedMs = wall.elapsed();
    // The sandbox does not show the secret of a profile whose header has it.
    const own = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('***', this.#target.secret)]);
    const result = await sender.send({ url, method, headers: Object.fromEntries(own), body: sent, signal });
    return toForwarded(result, Math.round(wall.elapsed() - startedMs), url);
  }
}

interface NewAttempt {
  readonly project: string;
  readonly callback: Callback;
  readonly attempt: Attempt;
  /** Number of the attempt within its callback, from 1. */
  readonly number: number;
}

/** Number of callbacks in a page of a list, with all that was sent. */
const pageSize = 100;

function toMark(attempt: Attempt | undefined): string {
  return attempt ? `${attempt.at} ${JSON.stringify(attempt.headers)}` : '';
}

function failedOf({ data, body }: Callback): AttemptNotice['failed'] {
  return (data ?? (body as { readonly data: Pick<NonNullable<typeof data>, 'failed'> }).data).failed ?? [];
}

/** Receivers reject signatures whose timestamp differs more from their own clock. */
const maxClockDifferenceSeconds = 300;

/** Explains a possible rejection: the signature is too old, because of a delay or a scenario. */
function toHint({ headers }: Attempt, nowMs: number): string | undefined {
  const seconds = Math.abs(nowMs / 1000 - Number(headers['webhook-timestamp']));
  if (!(seconds > maxClockDifferenceSeconds)) return undefined;
  return `signature time and this machine's clock differ by ${Math.round(seconds / 60)} min: receivers reject more than 5 min`;
}
