/** Keeps a value that all replicas share in the database, and changes it everywhere. */
import { EventEmitter } from 'node:events';
import { StoreUnavailable } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase } from './database/cluster-database.ts';

export interface SharedValue<Value> {
  readonly key: string;
  /** Returns the value as it was last read here. */
  current(): Value;
  /** Reads the value again. Returns once this replica has it. */
  refresh(): Promise<void>;
  /**
   * Replaces the value by what `change` makes of the latest one. Resolves once every living replica has it.
   * @throws StoreUnavailable if a living replica does not answer in time
   */
  update(change: (value: Value) => Value): Promise<Value>;
  /** Calls the listener when the value has changed, here or elsewhere. */
  onChange(listener: (value: Value) => void): () => void;
}

interface Parts<Value> {
  readonly key: string;
  readonly initial: Value;
  readonly database: Pick<ClusterDatabase, 'read' | 'store'>;
  /** Makes all other living replicas read the value again. @throws StoreUnavailable if one does not answer */
  tell(): Promise<unknown>;
}

const unknown = 'the change is stored, but not every server that shares the database has it yet';

export function createSharedValue<Value>(parts: Parts<Value>): SharedValue<Value> {
  const { key, initial, database, tell } = parts;
  const events = new EventEmitter<{ change: [Value] }>().setMaxListeners(0);
  let version = 0;
  let text: string | undefined;
  let value = initial;

  function accept(stored: { readonly version: number; readonly value: string } | undefined): void {
    if (!stored || stored.version <= version) return;
    version = stored.version;
    if (stored.value === text) return;
    text = stored.value;
    value = JSON.parse(stored.value) as Value;
    events.emit('change', value);
  }

  return {
    key,
    current: () => value,
    refresh: async () => accept(await database.read(key, version)),
    update: async (change) => {
      for (;;) {
        accept(await database.read(key, version));
        const before = version;
        const changed = JSON.stringify(change(value));
        if (!(await database.store(key, before, changed))) continue;
        accept({ version: before + 1, value: changed });
        await tell().catch((error: unknown) => {
          throw error instanceof StoreUnavailable ? new StoreUnavailable(unknown) : error;
        });
        return value;
      }
    },
    onChange: (listener) => {
      events.on('change', listener);
      return () => void events.off('change', listener);
    },
  };
}
