/** Remembers which callback attempts were seen, so that each is forwarded once. */
import type { components } from '../../openapi/control.gen.ts';

export type ShownCallback = components['schemas']['Callback'];
export type ShownAttempt = ShownCallback['attempts'][number];

/** An attempt and its number within its callback, from 1. */
export interface NumberedAttempt {
  readonly number: number;
  readonly attempt: ShownAttempt;
}

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
  return `${at} ${headers['webhook-timestamp']} ${headers['webhook-signature']}`;
}
