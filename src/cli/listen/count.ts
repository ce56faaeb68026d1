/** `listen --answer count`: the local receiver answers the callbacks of a project, as if the sandbox had called it. */
import type { ListenedAttempt, ListenerAnswer } from '../../callbacks/listener.ts';
import type { DeliveryResult } from '../../callbacks/send.ts';
import { AnswerError, type ClientTarget, type Failure } from '../../client/client.ts';
import { type AnswerOutcome, ListenerClient } from '../../client/listener.ts';
import { parseJson } from '../../client/send.ts';
import { type AttemptNotice, toForwarded } from './notice.ts';
import type { ListenParts } from './show.ts';

/** A project and its receiver. */
export interface CountTarget extends ClientTarget {
  readonly project: string;
  readonly forwardTo: string;
  readonly since: string | undefined;
  readonly takeover: boolean;
}

/**
 * Runs until the signal is aborted, or until the sandbox has another listener.
 * @returns how it got one. @throws AnswerError if the sandbox refuses
 */
export async function countAnswers(
  target: CountTarget,
  parts: ListenParts,
): Promise<Failure | 'taken over' | undefined> {
  const { url, project, forwardTo, takeover } = target;
  const { sender, wall, signal, notify, waiting } = parts;
  /** Results of attempts under way, for their notices. */
  const results = new WeakMap<ListenedAttempt, AttemptNotice['forwarded']>();
  let { since } = target;

  async function forward(attempt: ListenedAttempt): Promise<ListenerAnswer> {
    const { method, headers, body } = attempt;
    const startedMs = wall.elapsed();
    const sent = { method, headers, body: Buffer.from(body, 'base64').toString(), signal } as const;
    const result = await sender.send({ url: forwardTo, ...sent, keepsResponse: true });
    results.set(attempt, toForwarded(result, Math.round(wall.elapsed() - startedMs), forwardTo));
    return toAnswer(result);
  }

  function toNotice(attempt: ListenedAttempt, outcome: AnswerOutcome): AttemptNotice {
    const { callbackId: id, number, at, body } = attempt;
    // The body of a profile may be any other.
    const shown: { readonly type?: string; readonly data?: Partial<Pick<AttemptNotice, 'failed'>> } = Object(
      parseJson(Buffer.from(body, 'base64').toString()),
    );
    const { type, data } = shown;
    const forwarded = results.get(attempt);
    return {
      event: 'callback',
      at,
      project,
      type: typeof type === 'string' ? type : '',
      id,
      attempt: number,
      failed: Array.isArray(data?.failed) ? data.failed : [],
      answer: outcome,
      ...(forwarded && { forwarded }),
      ...(forwarded && 'status' in forwarded && forwarded.status === 410 && { hint: disabledBy410 }),
    };
  }

  for (;;) {
    const listener = new ListenerClient(target, {
      ...{ project, since, takeover, wall, signal, waiting },
      handle: forward,
      connected: () => {
        notify({ event: 'listening', url, project, forwardTo, answer: 'count' });
        if (since !== undefined) notify({ event: 'since', since });
        since = undefined;
      },
      answered: (attempt, outcome) => notify(toNotice(attempt, outcome)),
    });
    const ended = await listener.run();
    if (ended.kind === 'closed') return undefined;
    if (ended.kind === 'taken over') return ended.kind;
    if (ended.kind === 'refused') {
      if (ended.failure.code === 'listener_taken') return ended.failure;
      throw new AnswerError(ended.failure);
    }
    notify({ event: 'reset', project });
  }
}

const disabledBy410 =
  'a 410 disables the callbacks of the project: later ones go to the inbox until you start listen again, or PATCH callback-endpoint with {"disabled":false}';

function toAnswer(result: DeliveryResult): ListenerAnswer {
  if ('error' in result) return result;
  const { status, response } = result;
  if (!response) return { status };
  const { headers, body, durationMs: latencyMs } = response;
  return { status, headers, body, latencyMs };
}
