/** Hands attempts to a local receiver as the sandbox made them, a project's one after another; each once, come what may. */
import type { WallClock } from '../base/time.ts';
import type { Sender } from '../callbacks/send.ts';
import type { NumberedAttempt, ShownAttempt, ShownCallback } from './known.ts';
import type { AttemptNotice, Failure, Forwarded, Notice } from './notice.ts';

interface Parts {
  readonly forwardTo: string | undefined;
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  say(notice: Notice): void;
}

export interface Forwarder {
  /** Forwards it after those before it of the same project, and tells of it; without an address it only tells. */
  take(project: string, callback: ShownCallback, attempt: NumberedAttempt): void;
}

/** Receivers refuse signatures that are further from their own clock. */
const mostSeconds = 300;

export function createForwarder({ forwardTo, sender, wall, signal, say }: Parts): Forwarder {
  const lanes = new Map<string, Promise<void>>();

  async function send(url: string, { headers, sent }: ShownAttempt): Promise<Forwarded> {
    const startedMs = wall.elapsed();
    const outcome = await sender.send({ url, headers, body: sent, signal });
    const ms = Math.round(wall.elapsed() - startedMs);
    if (!('error' in outcome)) return { status: outcome.status, ms };
    const isRefused = outcome.error === 'connection refused';
    return { error: isRefused ? `connection refused: is your receiver running at ${url}?` : outcome.error, ms };
  }

  async function forward(project: string, callback: ShownCallback, one: NumberedAttempt): Promise<void> {
    if (signal.aborted) return;
    const told = toNotice(project, callback, one);
    if (forwardTo === undefined) return say(told);
    const hint = toHint(one.attempt, wall.now());
    const forwarded = await send(forwardTo, one.attempt);
    if (!signal.aborted) say({ ...told, forwarded, ...(hint && { hint }) });
  }

  return {
    take: (project, callback, attempt) => {
      const before = lanes.get(project) ?? Promise.resolve();
      const lane = before
        .then(() => forward(project, callback, attempt))
        .finally(() => {
          if (lanes.get(project) === lane) lanes.delete(project);
        });
      lanes.set(project, lane);
    },
  };
}

function toNotice(project: string, callback: ShownCallback, { number, attempt }: NumberedAttempt): AttemptNotice {
  const { id, type, body } = callback;
  const { failed } = body['data'] as { failed: readonly Failure[] };
  const sandbox = attempt.status ?? attempt.error ?? 'inbox';
  return { event: 'callback', at: attempt.at, project, type, id, attempt: number, failed, sandbox };
}

/** What explains a receiver's refusal: a signature that has grown old on the way, or was made old by a scenario. */
function toHint({ headers }: ShownAttempt, nowMs: number): string | undefined {
  const seconds = Math.abs(nowMs / 1000 - Number(headers['webhook-timestamp']));
  if (!(seconds > mostSeconds)) return undefined;
  return `signed ${Math.round(seconds / 60)} min from this machine's time: receivers refuse more than 5 min`;
}
