/** Copies the state of a project for a fork: a project with another id that shares no object with the original. */
import type { Attempt, Callback, Endpoint } from '../../callbacks/callback.ts';
import { isDelivered } from '../../callbacks/retry.ts';
import { createHash } from '../../lib/random.ts';
import { runInSlices, type Slices } from '../../lib/slices.ts';
import { copyEntries } from '../commands/deferred-command.ts';
import { toFileName } from '../persistence/format/file-name.ts';
import { readLog } from '../persistence/log/read-log.ts';
import { UnwrittenChanges } from '../persistence/log/unwritten-changes.ts';
import { createDueWork, type ForkOrigin, type ProjectState } from '../state.ts';

export interface ForkOptions {
  /** Id of the fork. */
  readonly to: string;
  readonly from: ForkOrigin;
  readonly seed: string;
  /** Endpoint for callbacks of new projects. */
  readonly endpoint: Endpoint | undefined;
  readonly slices: Slices;
}

/** Copies a state as it is at this call. The original may change while the copy is written in slices. */
export async function copyState(state: ProjectState, options: ForkOptions): Promise<ProjectState> {
  const { to, from, seed, endpoint, slices } = options;
  // A log has the whole state, and reading it creates new objects.
  const lines = new UnwrittenChanges(to, undefined).toWhole({ ...state, due: copyDue(state.due) });
  const { state: copied } = await runInSlices(readLog(lines, toFileName(to), undefined), slices);
  renameCallbacks(copied, to, seed);
  return { ...copied, begunAt: copied.shownMs, endpoint: endpoint && { ...endpoint }, forkedFrom: from };
}

/** Copies due work, because the original changes the entries of a command when it applies it. */
function copyDue(due: ProjectState['due']): ProjectState['due'] {
  const copies = Array.from(due, (item) =>
    item.what.kind === 'deferredCommand'
      ? { ...item, what: { ...item.what, deferredCommand: copyEntries(item.what.deferredCommand) } }
      : item,
  );
  return createDueWork(copies);
}

/** Gives the callbacks ids of their own, so that a receiver does not ignore them as copies, and names the fork in them. */
function renameCallbacks(state: ProjectState, to: string, seed: string): void {
  const ids = createHash(seed, to, 'callback');
  const toOwnId = (id: string): string => `msg_${ids.of(id)}`;
  const rename = ({ id, body, ...callback }: Callback): Callback => ({
    ...callback,
    id: toOwnId(id),
    body: { ...body, data: { ...body.data, projectId: to } },
  });
  state.callbacks = new Map(Array.from(state.callbacks.values(), rename).map((callback) => [callback.id, callback]));
  for (const [key, group] of state.groups)
    state.groups.set(key, { ...group, callbackIds: group.callbackIds.map(toOwnId) });
  const due = [...state.due].map((item) =>
    item.what.kind === 'attempt'
      ? { ...item, what: { ...item.what, callbackId: toOwnId(item.what.callbackId) } }
      : item,
  );
  state.due = createDueWork(due);
}

/**
 * Returns a callback as it was at a time of the project's clock. `replayed` is the same callback in a replay, which
 * knows what was due by then, but sends nothing. `wasCancelled`: a restored snapshot had cancelled it by then.
 */
export function toCallbackAt(replayed: Callback, now: Callback, at: string, wasCancelled: boolean): Callback {
  const attempts = now.attempts.filter((attempt) => attempt.at <= at);
  const tries = attempts.filter(({ cause }) => cause === 'schedule').length;
  const isDue = replayed.state !== 'scheduled' && replayed.state !== 'dropped';
  if (!isDue) return { ...replayed, attempts };
  const copies = attempts.filter(({ cause }) => cause === 'copy').length;
  const copiesLeft = wasCancelled ? 0 : Math.max(0, (now.fault?.copies ?? 1) - 1 - copies);
  const next = now.attempts.find((attempt) => attempt.cause === 'schedule' && attempt.at > at);
  const isOpen = !wasCancelled && (next !== undefined || now.state === 'scheduled' || now.state === 'dropped');
  const { state, dueAt } = isOpen
    ? { state: 'scheduled' as const, dueAt: next?.at ?? now.dueAt }
    : { state: toEnd(now, attempts), dueAt: now.dueAt };
  return { ...now, state, dueAt, attempts, tries, copiesLeft };
}

/** Returns how a callback had ended: a later redelivery may have changed it. */
function toEnd({ state, attempts: all }: Callback, attempts: readonly Attempt[]): Callback['state'] {
  if (attempts.length === all.length || state !== 'delivered') return state;
  if (attempts.some(({ status }) => status !== undefined && isDelivered({ status }))) return 'delivered';
  const last = attempts.findLast(({ cause }) => cause === 'schedule');
  return last && last.status === undefined && last.error === undefined ? 'inbox' : 'failed';
}
