/** Who sends a request of the control API, and which projects they may use. */
import { type ApiKey, checkProject } from '../keys/api-key.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { toRegionHost, withoutRegion } from '../keys/region.ts';

export interface Caller {
  /** Whether all operations and all projects are open: with the admin token, or if the server has none. */
  readonly isAdmin: boolean;
  /** The API key of a caller who is no admin. */
  readonly key: ApiKey | undefined;
  /** Whether the caller may see and change a project. Without a project: what belongs to none. */
  mayUse(project: string | null | undefined): boolean;
  /** Whether the caller still has access. */
  isValid(): boolean;
  /** Calls the listener once the caller has lost its access. Returns a function that unsubscribes. */
  onEnd(listener: () => void): () => void;
}

export const admin: Caller = {
  isAdmin: true,
  key: undefined,
  mayUse: () => true,
  isValid: () => true,
  onEnd: () => () => undefined,
};

/** A client without credentials, for operations that need none. */
export const nobody: Caller = { ...admin, isAdmin: false, mayUse: () => false };

/**
 * Creates the caller of a bound key. The region of the host counts as for the API, or that of a project's id, where
 * projects of regions are separate.
 */
export function createKeyCaller(keys: KeyRing, key: ApiKey, host: string, separatesRegions: boolean): Caller {
  const opens = (project: string): boolean =>
    separatesRegions
      ? checkProject(key, toRegionHost(project) ?? host, withoutRegion(project)) === undefined
      : checkProject(key, host, project) === undefined;
  return {
    isAdmin: false,
    key,
    mayUse: (project) => typeof project === 'string' && opens(project),
    isValid: () => keys.findById(key.id) !== undefined,
    onEnd: (listener) => keys.onEnd(key.id, listener),
  };
}

/** Returns the name under which the waiting clients of a request are counted: its project, or else its key. */
export function toSlotName(project: unknown, { key }: Caller): string | undefined {
  return project === undefined ? key && `key ${key.id}` : String(project);
}
