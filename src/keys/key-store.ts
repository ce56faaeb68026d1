/** Stores the list of the keys that were created at run time. */
import type { components } from '../openapi/control.gen.ts';

/** What a client chooses about a key. */
export type NewKey = Readonly<components['schemas']['NewApiKey']>;

export interface StoredKey extends NewKey {
  readonly id: string;
  /** SHA-256 of the key, in base64. The key itself is not stored. */
  readonly digest: string;
  readonly createdAt: string;
  /** Position in lists, which never changes. Absent in lists of earlier versions: the index. */
  readonly number?: number;
  readonly lastUsedAt?: string;
}

export interface KeyStore {
  /**
   * Replaces the list by what `change` makes of the latest one, without losing changes of other servers. Resolves with
   * the new list once it is stored and every server knows it; rejects if nothing has changed.
   */
  update(change: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<readonly StoredKey[]>;
  /** Calls the listener with the list now, and when another server has changed it. */
  use(listener: (keys: readonly StoredKey[]) => void): void;
}

/**
 * Creates a store from a function that saves the list, one save at a time. By default, the list is only in memory.
 */
export function createKeyStore(
  stored: readonly StoredKey[] = [],
  save: (keys: readonly StoredKey[]) => Promise<void> = () => Promise.resolve(),
): KeyStore {
  let keys = stored;
  let latest: Promise<unknown> = Promise.resolve();

  return {
    update: (change) => {
      const updating = latest.then(async () => {
        const changed = change(keys);
        await save(changed);
        keys = changed;
        return changed;
      });
      latest = updating.catch(() => undefined);
      return updating;
    },
    use: (listener) => listener(keys),
  };
}
