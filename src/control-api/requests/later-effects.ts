/** Finds the effects that requests had after their responses: callbacks, failed entries and pending ones. */
import type { Callback } from '../../callbacks/callback.ts';
import type { RequestHandlerDeps } from '../../http/handler-deps.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import type { OperationId } from '../../operations/index.ts';
import type { DeferredCommand } from '../../project/commands/deferred-command.ts';
import type { Project } from '../../project/project.ts';

/** Effects of a request after its response. */
export interface LaterEffects {
  /** The callbacks that the request caused. */
  readonly callbacks: Callback[];
  /** Number of entries that the callbacks report as failed. */
  failed: number;
  /** Number of entries that are still to be applied, or to fail. */
  pending: number;
  /** The deferred commands with these entries. */
  readonly due: { readonly atMs: number; readonly command: DeferredCommand }[];
}

/** Returns the ids of all records that a deferred command may change. */
export function idsIn({ command, failures }: DeferredCommand): readonly string[] {
  return [...(command.routes ?? []), ...command.entries, ...failures].map(({ id }) => id);
}

/** The later effects of requests, as they are at the first question after a refresh. */
export interface Effects {
  of(entry: JournalEntry): LaterEffects | undefined;
  /** `only`: the only requests that are asked for; default: all. */
  refresh(only?: readonly JournalEntry[]): void;
}

/** Creates the effects of requests, by project: a fork has callbacks and work of requests of its original. */
export function createEffects({ modeOf, projects }: Pick<RequestHandlerDeps, 'modeOf' | 'projects'>): Effects {
  const ofProjects = new Map<string, ReadonlyMap<string, LaterEffects>>();
  let ids: ReadonlySet<string> | undefined;
  return {
    of: ({ id, operation, project }) => {
      // Most time of a long list goes into these searches, so they are made only for requests with later effects.
      if (operation === undefined || modeOf(operation as OperationId).mode === 'sync') return undefined;
      if (project === undefined) return undefined;
      const known = ofProjects.get(project);
      const effects = known ?? findLaterEffects(projects.peek(project), ids);
      if (!known) ofProjects.set(project, effects);
      return effects.get(id);
    },
    refresh: (only) => {
      ofProjects.clear();
      ids = only && new Set(only.map(({ id }) => id));
    },
  };
}

function findLaterEffects(
  project: Project | undefined,
  only: ReadonlySet<string> | undefined,
): ReadonlyMap<string, LaterEffects> {
  const found = new Map<string, LaterEffects>();
  const of = (requestId: string): LaterEffects | undefined => {
    const known = found.get(requestId);
    if (known || only?.has(requestId) === false) return known;
    const effects = { callbacks: [], failed: 0, pending: 0, due: [] };
    found.set(requestId, effects);
    return effects;
  };
  if (project) addEffects(project, of);
  return found;
}

function addEffects({ state }: Project, of: (requestId: string) => LaterEffects | undefined): void {
  for (const callback of state.callbacks.values()) {
    const effects = of(callback.requestId);
    if (!effects) continue;
    effects.callbacks.push(callback);
    effects.failed += callback.body.data.failed.length;
  }
  for (const { dueAt, what } of state.due) {
    if (what.kind !== 'deferredCommand') continue;
    const effects = of(what.deferredCommand.requestId);
    if (!effects) continue;
    effects.due.push({ atMs: dueAt, command: what.deferredCommand });
    effects.pending += what.deferredCommand.command.entries.length + what.deferredCommand.failures.length;
  }
}
