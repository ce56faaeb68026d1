/** Keeps a value that all replicas share in the database, and changes it everywhere. */
import { EventEmitter } from 'node:events';
import type { WallClock } from '../lib/time.ts';
import { StoreUnavailable } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase, Replica } from './database/cluster-database.ts';

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
  readonly wall: WallClock;
  /** Returns the other living replicas. */
  listOthers(): Promise<readonly Replica[]>;
  /** Asks another replica to refresh the value. Returns whether it has done so. */
  ask(replica: Replica, key: string): Promise<boolean>;
}

const patienceMs = 12_000;
const pauseMs = 100;

const unknown = 'the change is stored, but not every server that shares the database has it yet';

export function createSharedValue<Value>(parts: Parts<Value>): SharedValue<Value> {
  const { key, initial, database, wall, listOthers, ask } = parts;
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

  /** Tells all living replicas to read the value again. */
  async function tell(): Promise<void> {
    const until = wall.elapsed() + patienceMs;
    const knowing = new Set<string>();
    const findUnaware = async (): Promise<readonly Replica[]> =>
      (await listOthers()).filter(({ id }) => !knowing.has(id));
    for (let unaware = await findUnaware(); unaware.length > 0; unaware = await findUnaware()) {
      const answers = await Promise.all(unaware.map((one) => ask(one, key)));
      for (const [index, { id }] of unaware.entries()) if (answers[index]) knowing.add(id);
      if (answers.every((knows) => knows)) continue;
      if (wall.elapsed() >= until) throw new StoreUnavailable(unknown);
      await new Promise<void>((resolve) => wall.after(pauseMs, resolve));
    }
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
        await tell();
        return value;
      }
    },
    onChange: (listener) => {
      events.on('change', listener);
      return () => void events.off('change', listener);
    },
  };
}
