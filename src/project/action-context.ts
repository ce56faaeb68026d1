/** Creates the context that actions need in addition to the records. */
import { createHash } from '../lib/random.ts';
import { toTimestamp } from '../lib/time.ts';
import type { ActionContext } from '../operations/command.ts';
import { createPendingImports, type PendingImports, type ProjectState } from './state.ts';

export interface ActionOptions extends Pick<ActionContext, 'rules' | 'strict'> {
  readonly seed: string;
}

/** Returns a function from the project's time, in milliseconds, to the context. */
export function createActionContext(
  projectId: string,
  { seed, rules, strict }: ActionOptions,
  state: () => ProjectState,
): (now: number) => ActionContext {
  const jobIds = createHash(seed, projectId, 'jobs');
  const orderIds = createHash(seed, projectId, 'orders');
  let imports: PendingImports | undefined;

  const trackingId: ActionContext['trackingId'] = (collection, recordId) =>
    `TRK-${(collection === 'orders' ? orderIds : jobIds).of(recordId)}`;

  const pendingImports: ActionContext['pendingImports'] = (collection, recordId) => {
    const { due } = state();
    // Created on first use, because most requests name only existing ids.
    if (imports?.due !== due) imports = createPendingImports(due);
    return imports.of(collection, recordId);
  };

  return (now) => ({ now: toTimestamp(now), rules, strict, trackingId, pendingImports });
}
