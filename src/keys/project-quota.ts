/** Limits how many projects a key with a glob creates. */
import type { Problem } from '../lib/problem.ts';
import { type ApiKey, isByGlob } from './api-key.ts';

interface Projects {
  has(project: string): boolean;
  /** The ids of all projects, in memory or in files. */
  ids(): Iterable<string>;
}

/**
 * Returns the problem if a request with this key may not create this project, or undefined. `existing`: the ids of
 * projects, if several servers share them; by default those of this server.
 */
export type ProjectQuota = (key: ApiKey, project: string, existing?: Iterable<string>) => Problem | undefined;

/** Creates the quota. `max`: that of keys without their own. It counts the existing projects that the key's globs name. */
export function createProjectQuota(projects: Projects, max: number, separatesRegions: boolean): ProjectQuota {
  return (key, project, existing) => {
    if (!key.hasGlob || projects.has(project) || !isByGlob(key, project, separatesRegions)) return undefined;
    const ownMax = key.limits?.projects;
    const limit = ownMax ?? max;
    let held = 0;
    for (const id of existing ?? projects.ids()) if (isByGlob(key, id, separatesRegions)) held += 1;
    if (held < limit) return undefined;
    const { what, remedy } = ownMax === undefined ? ofProfile : ofKey;
    const message = `${what} is ${limit.toLocaleString('en')}: ${held.toLocaleString('en')} projects of this key exist already. Reset projects that are no longer needed, or ${remedy}.`;
    return { kind: 'full', message };
  };
}

const ofProfile = { what: '"limits.key.projects"', remedy: 'raise the limit in the profile' };
const ofKey = { what: '"limits.projects" of this API key', remedy: 'ask the operator for a key with a higher limit' };
