/** Which attempts at callbacks are known already, so that each is told once, however often it is heard of. */
import type { components } from '../contract/control.gen.ts';

export type ShownCallback = components['schemas']['Callback'];
export type ShownAttempt = ShownCallback['attempts'][number];

/** An attempt, and the how-manieth of its callback it is. */
export interface NumberedAttempt {
  readonly number: number;
  readonly attempt: ShownAttempt;
}

export interface Known {
  /** Those of the callback's first `count` attempts that were not known; from now on they are. */
  take(project: string, callback: ShownCallback, count: number): readonly NumberedAttempt[];
  /** A project that was reset may make the same callbacks again; null: all of them. */
  forget(project: string | null): void;
  /** Forgets the projects that there are no more. */
  keepOnly(projects: ReadonlySet<string>): void;
}

export function createKnown(): Known {
  const projects = new Map<string, Map<string, string[]>>();

  function marksOf(project: string, id: string): string[] {
    const callbacks = projects.get(project) ?? new Map<string, string[]>();
    const marks = callbacks.get(id) ?? [];
    projects.set(project, callbacks.set(id, marks));
    return marks;
  }

  return {
    take: (project, { id, attempts }, count) => {
      const marks = marksOf(project, id);
      return attempts.slice(0, count).flatMap((attempt, index) => {
        const mark = toMark(attempt);
        if (marks[index] === mark) return [];
        marks[index] = mark;
        return [{ number: index + 1, attempt }];
      });
    },
    forget: (project) => {
      if (project === null) projects.clear();
      else projects.delete(project);
    },
    keepOnly: (kept) => {
      for (const project of projects.keys()) if (!kept.has(project)) projects.delete(project);
    },
  };
}

/** What no two attempts in the same place have in common: a server that was started anew may give the same ids. */
function toMark({ at, headers }: ShownAttempt): string {
  return `${at} ${headers['webhook-timestamp']} ${headers['webhook-signature']}`;
}
