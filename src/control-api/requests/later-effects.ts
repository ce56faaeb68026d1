/** Finds the effects that requests had after their responses: callbacks, failed entries and pending ones. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Project } from '../../project/project.ts';
import type { Caller } from '../caller.ts';
import type { ControlParts } from '../handler.ts';

/** Effects of a request after its response. */
export interface LaterEffects {
  /** The callbacks that the request caused. */
  readonly callbacks: Callback[];
  /** Number of entries that the callbacks report as failed. */
  failed: number;
  /** Number of entries that are still to be applied, or to fail. */
  pending: number;
}

/**
 * Returns the later effects of requests, of one project or of all of the caller, by request id. `only`: the ids of the
 * requests; default: all.
 */
export function findLaterEffects(
  { projects }: Pick<ControlParts, 'projects'>,
  { mayUse }: Caller,
  project?: string,
  only?: ReadonlySet<string>,
): ReadonlyMap<string, LaterEffects> {
  const searched = project === undefined ? projects.list().filter(({ id }) => mayUse(id)) : [projects.find(project)];
  const found = new Map<string, LaterEffects>();
  const of = (requestId: string): LaterEffects | undefined => {
    const known = found.get(requestId);
    if (known || only?.has(requestId) === false) return known;
    const effects = { callbacks: [], failed: 0, pending: 0 };
    found.set(requestId, effects);
    return effects;
  };
  for (const current of searched) if (current) addEffects(current, of);
  return found;
}

function addEffects({ state }: Project, of: (requestId: string) => LaterEffects | undefined): void {
  for (const callback of state.callbacks.values()) {
    const effects = of(callback.requestId);
    if (!effects) continue;
    effects.callbacks.push(callback);
    effects.failed += callback.body.data.failed.length;
  }
  for (const { what } of state.due) {
    if (what.kind !== 'instruction') continue;
    const { requestId, task: command, failures } = what.instruction;
    const effects = of(requestId);
    if (effects) effects.pending += command.entries.length + failures.length;
  }
}
