/** Takes slots of event streams at the owners of their projects, and again when a project moves. */
import { findSlot } from '../../../control-api/events.ts';
import type { ControlParts, ControlRequest, Followed } from '../../../control-api/handler.ts';
import { type Reply, toJsonReply } from '../../../http/reply.ts';
import { inTurn } from '../../../lib/in-turn.ts';
import type { Problem } from '../../../lib/problem.ts';
import type { WallClock } from '../../../lib/time.ts';
import type { Dispatch } from '../../dispatch.ts';
import { toForwarded } from '../question.ts';

interface Parts {
  readonly control: ControlParts;
  readonly dispatch: Pick<Dispatch, 'run'>;
  readonly wall: WallClock;
  /** Calls the listener when a project leaves this replica. Returns a function that unsubscribes. */
  onMoved(project: string, listener: () => void): () => void;
}

const pauseMs = 200;
/** Pause while the new owner has no free slot, in milliseconds. */
const retryMs = 2000;

/** Takes a slot at this replica, as long as the reply is read and the project is here. */
export function serveSlot(
  { control, onMoved }: Pick<Parts, 'control' | 'onMoved'>,
  { caller }: Pick<ControlRequest, 'caller'>,
  project: string,
): Reply {
  const slot = findSlot(control, caller, project);
  if ('problem' in slot) return toJsonReply(200, slot.problem);
  return {
    status: 200,
    headers: {},
    body: undefined,
    stream: ({ end }) => inTurn(slot.take(), onMoved(project, end)),
  };
}

/** Finds a slot at the owner of a project. */
export async function findSlotAtOwner(
  parts: Parts,
  request: ControlRequest,
  project: string,
): Promise<Pick<Followed, 'take'> | { readonly problem: Problem }> {
  const { dispatch, wall } = parts;
  const head = { project, request: toForwarded(request) };
  let stop: (() => void) | undefined;
  let isReleased = false;

  const ask = async (): Promise<Reply | Problem> => {
    const placed = await dispatch.run({
      ...{ kind: 'slot', project, creates: false, isRead: true, head, text: '' },
      here: () => serveSlot(parts, request, project),
    });
    if ('problem' in placed) return placed.problem;
    return placed.reply.stream ? placed.reply : (JSON.parse(placed.reply.body ?? '{}') as Problem);
  };

  function hold(reply: Reply): void {
    let hasEnded = false;
    const end = reply.stream?.({
      write: () => undefined,
      end: () => {
        hasEnded = true;
        wall.after(pauseMs, () => void takeAgain());
      },
    });
    if (isReleased) end?.();
    else if (!hasEnded) stop = end;
  }

  /** Takes a slot at the new owner. The stream goes on if there is none. */
  async function takeAgain(): Promise<void> {
    if (isReleased) return;
    const found = await ask().catch(() => undefined);
    if (found && !('kind' in found)) hold(found);
    else wall.after(retryMs, () => void takeAgain());
  }

  const found = await ask();
  if ('kind' in found) return { problem: found };
  hold(found);
  const release = (): void => {
    isReleased = true;
    stop?.();
  };
  request.onLeave?.(release);
  return { take: () => release };
}
