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

/**
 * The later effects of requests, as they are at the first question after a refresh: by project, because a fork has
 * callbacks and work of requests of its original.
 */
export class Effects {
  readonly #deps: Pick<RequestHandlerDeps, 'modeOf' | 'projects'>;
  readonly #ofProjects = new Map<string, ReadonlyMap<string, LaterEffects>>();
  #only: ReadonlySet<string> | undefined;

  constructor(deps: Pick<RequestHandlerDeps, 'modeOf' | 'projects'>) {
    this.#deps = deps;
  }

  of({ id, operation, project }: JournalEntry): LaterEffects | undefined {
    const { modeOf, projects } = this.#deps;
    // Most time of a long list goes into these searches, so they are made only for requests with later effects.
    if (operation === undefined || modeOf(operation as OperationId).mode === 'sync') return undefined;
    if (project === undefined) return undefined;
    const effects = this.#ofProjects.get(project) ?? this.#find(projects.peek(project));
    this.#ofProjects.set(project, effects);
    return effects.get(id);
  }

  /** `only`: the only requests that are asked for; default: all. */
  refresh(only?: readonly JournalEntry[]): void {
    this.#ofProjects.clear();
    this.#only = only && new Set(only.map(({ id }) => id));
  }

  #find(project: Project | undefined): ReadonlyMap<string, LaterEffects> {
    const found = new Map<string, LaterEffects>();
    const of = (requestId: string): LaterEffects | undefined => {
      const known = found.get(requestId);
      if (known || this.#only?.has(requestId) === false) return known;
      const effects = { callbacks: [], failed: 0, pending: 0, due: [] };
      found.set(requestId, effects);
      return effects;
    };
    for (const callback of project?.state.callbacks.values() ?? []) {
      const effects = of(callback.requestId);
      if (!effects) continue;
      effects.callbacks.push(callback);
      effects.failed += callback.body.data.failed.length;
    }
    for (const { dueAt, what } of project?.state.due ?? []) {
      const effects = what.kind === 'deferredCommand' ? of(what.deferredCommand.requestId) : undefined;
      if (what.kind !== 'deferredCommand' || !effects) continue;
      const { deferredCommand: command } = what;
      effects.due.push({ atMs: dueAt, command });
      effects.pending += command.command.entries.length + command.failures.length;
    }
    return found;
  }
}
