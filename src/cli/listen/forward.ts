/** Forwards the sandbox's attempts to a local receiver: each once, and one after another within a project. */

import type { Sender } from '../../callbacks/send.ts';
import type { WallClock } from '../../lib/time.ts';
import type { components } from '../../openapi/control.gen.ts';
import { type AttemptNotice, type Forwarded, type Notice, toForwarded } from './notice.ts';

export type ShownCallback = components['schemas']['Callback'];
type ShownAttempt = ShownCallback['attempts'][number];

/** An attempt and its number within its callback, from 1. */
export interface NumberedAttempt {
  readonly number: number;
  readonly attempt: ShownAttempt;
}

interface Parts {
  readonly forwardTo: string | undefined;
  /** Replaces `***` in headers: the sandbox does not show the secret of a profile whose header has it. */
  readonly secret: string;
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  notify(notice: Notice): void;
}

export interface Forwarder {
  /** Forwards and reports an attempt, after the earlier ones of its project. Without `forwardTo` it only reports it. */
  enqueue(project: string, callback: ShownCallback, attempt: NumberedAttempt): void;
}

/** Receivers reject signatures whose timestamp differs more from their own clock. */
const maxClockDifferenceSeconds = 300;

export function createForwarder({ forwardTo, secret, sender, wall, signal, notify }: Parts): Forwarder {
  const queues = new Map<string, Promise<void>>();

  async function send(url: string, method: string, { headers, sent }: ShownAttempt): Promise<Forwarded> {
    const startedMs = wall.elapsed();
    const shown = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('***', secret)]);
    const outcome = await sender.send({ url, method, headers: Object.fromEntries(shown), body: sent, signal });
    return toForwarded(outcome, Math.round(wall.elapsed() - startedMs), url);
  }

  async function forward(project: string, callback: ShownCallback, numbered: NumberedAttempt): Promise<void> {
    if (signal.aborted) return;
    const notice = toNotice(project, callback, numbered);
    if (forwardTo === undefined) return notify(notice);
    const hint = toHint(numbered.attempt, wall.now());
    const forwarded = await send(forwardTo, callback.method ?? 'POST', numbered.attempt);
    if (!signal.aborted) notify({ ...notice, forwarded, ...(hint && { hint }) });
  }

  return {
    enqueue: (project, callback, attempt) => {
      const previous = queues.get(project) ?? Promise.resolve();
      const queue = previous
        .then(() => forward(project, callback, attempt))
        .finally(() => {
          if (queues.get(project) === queue) queues.delete(project);
        });
      queues.set(project, queue);
    },
  };
}

function toNotice(project: string, callback: ShownCallback, { number, attempt }: NumberedAttempt): AttemptNotice {
  const { id, type, body, data } = callback;
  const { failed = [] } = data ?? (body as { readonly data: Pick<NonNullable<typeof data>, 'failed'> }).data;
  const sandbox = attempt.status ?? attempt.error ?? 'inbox';
  return { event: 'callback', at: attempt.at, project, type, id, attempt: number, failed, sandbox };
}

/** Explains a possible rejection: the signature is too old, because of a delay or a scenario. */
function toHint({ headers }: ShownAttempt, nowMs: number): string | undefined {
  const seconds = Math.abs(nowMs / 1000 - Number(headers['webhook-timestamp']));
  if (!(seconds > maxClockDifferenceSeconds)) return undefined;
  return `signature time and this machine's clock differ by ${Math.round(seconds / 60)} min: receivers reject more than 5 min`;
}

/** Remembers which attempts were seen, so that each is forwarded once. */
export interface SeenAttempts {
  /** Marks the callback's first `count` attempts as seen. Returns the attempts that were new. */
  addNew(project: string, callback: ShownCallback, count: number): readonly NumberedAttempt[];
  /** Forgets a project, or all if null: after a reset a project may send the same callbacks again. */
  forget(project: string | null): void;
  /** Forgets all other projects. */
  keepOnly(projects: ReadonlySet<string>): void;
}

export function createSeenAttempts(): SeenAttempts {
  const projects = new Map<string, Map<string, string[]>>();

  function getFingerprints(project: string, id: string): string[] {
    const callbacks = projects.get(project) ?? new Map<string, string[]>();
    const fingerprints = callbacks.get(id) ?? [];
    projects.set(project, callbacks.set(id, fingerprints));
    return fingerprints;
  }

  return {
    addNew: (project, { id, attempts }, count) => {
      const fingerprints = getFingerprints(project, id);
      return attempts.slice(0, count).flatMap((attempt, index) => {
        const fingerprint = toFingerprint(attempt);
        if (fingerprints[index] === fingerprint) return [];
        fingerprints[index] = fingerprint;
        return [{ number: index + 1, attempt }];
      });
    },
    forget: (project) => {
      if (project === null) projects.clear();
      else projects.delete(project);
    },
    keepOnly: (existing) => {
      for (const project of projects.keys()) if (!existing.has(project)) projects.delete(project);
    },
  };
}

/** Identifies an attempt. Ids are not enough: a restarted server may assign the same ids again. */
function toFingerprint({ at, headers }: ShownAttempt): string {
  return `${at} ${JSON.stringify(headers)}`;
}
