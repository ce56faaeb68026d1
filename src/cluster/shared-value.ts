/** Keeps a value that all replicas share in the database, and changes it everywhere. */
import { StoreUnavailable } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase } from './database/cluster-database.ts';

interface Deps {
  readonly database: Pick<ClusterDatabase, 'read' | 'store'>;
  /** Makes all other living replicas read the value again. @throws StoreUnavailable if one does not answer */
  tell(): Promise<unknown>;
}

const unknown = 'the change is stored, but not every server that shares the database has it yet';

export type Refreshable = Pick<SharedValue<unknown>, 'key' | 'refresh' | 'applied'>;

export class SharedValue<Value> {
  readonly key: string;
  readonly #deps: Deps;
  #version = 0;
  #current: Value;
  #apply: (value: Value) => void | Promise<void> = () => undefined;
  /** Changes are applied one after another. */
  #applied: Promise<void> = Promise.resolve();

  constructor(key: string, initial: Value, deps: Deps) {
    this.key = key;
    this.#current = initial;
    this.#deps = deps;
  }

  /** The value as it was last read here. */
  get current(): Value {
    return this.#current;
  }

  /** Calls a function with the value now, and after each change, here or elsewhere. Resolves once it has applied the value. */
  use(apply: (value: Value) => void | Promise<void>): Promise<void> {
    this.#apply = apply;
    this.#applyNow();
    return this.#applied;
  }

  /** Reads the value again. */
  async refresh(): Promise<void> {
    this.#accept(await this.#deps.database.read(this.key, this.#version));
  }

  /** Resolves when the value that was last read is applied. */
  applied(): Promise<void> {
    return this.#applied;
  }

  /**
   * Replaces the value by what `change` makes of the latest one. Resolves once every living replica has applied it.
   * @throws StoreUnavailable if a living replica does not answer in time
   */
  async update(change: (value: Value) => Value): Promise<Value> {
    for (;;) {
      await this.refresh();
      const before = this.#version;
      const changed = JSON.stringify(change(this.#current));
      if (!(await this.#deps.database.store(this.key, before, changed))) continue;
      this.#accept({ version: before + 1, value: changed });
      await this.#deps.tell().catch((error: unknown) => {
        throw error instanceof StoreUnavailable ? new StoreUnavailable(unknown) : error;
      });
      await this.#applied;
      return this.#current;
    }
  }

  #accept(stored: { readonly version: number; readonly value: string } | undefined): void {
    if (!stored || stored.version <= this.#version) return;
    this.#version = stored.version;
    this.#current = JSON.parse(stored.value) as Value;
    this.#applyNow();
  }

  #applyNow(): void {
    const value = this.#current;
    this.#applied = this.#applied.catch(() => undefined).then(() => this.#apply(value));
    // A failure is reported to those who wait.
    this.#applied.catch(() => undefined);
  }
}
