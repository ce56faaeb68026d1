/** A client that imports one job after another into a project, and knows by what it was answered which are stored. */
import { expect } from 'vitest';
import { ask, type Told } from '../flows/data-steps.ts';
import type { Dice } from '../model/dice.ts';
import { listJobs } from '../rig/list-jobs.ts';

export interface StoredJobs {
  readonly stored: ReadonlySet<string>;
  /** Of all answers. */
  readonly statuses: readonly number[];
  /** Imports a job, and one that is refused. */
  add(this: void): Promise<Told>;
  /** Checks that all stored jobs are there, at this URL or where they were imported. */
  check(this: void, url?: string): Promise<void>;
}

export function createStoredJobs(url: () => string, project: string, dice: Dice): StoredJobs {
  const stored = new Set<string>();
  const statuses: number[] = [];
  let made = 0;
  return {
    stored,
    statuses,
    add: async () => {
      made += 1;
      const id = `J-${made}`;
      // More than a page: the last one of a file may have some room left on a disk that is full.
      const jobs = [{ id, secondaryReference: 'x'.repeat(5000 + dice.below(6000)) }, { id: `REFUSE-${made}` }];
      const told = await ask(`${url()}/sync/projects/${project}/jobs/batch`, 'POST', { jobs });
      statuses.push(told.status);
      if (told.status === 200) stored.add(id);
      return told;
    },
    check: async (at = url()) => {
      const there = await listJobs(at, project);
      const missing = [...stored].filter((id) => !there.has(id));
      const refused = [...there.keys()].filter((id) => id.startsWith('REFUSE'));
      expect({ missing, refused }).toEqual({ missing: [], refused: [] });
    },
  };
}
