/** An observable value, for the elements that are not written with Preact yet. */
import { type Signal, signal } from '@preact/signals';

export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  /** Calls the listener after each change. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  return toStore(signal(initial));
}

export function toStore<Value>(of: Signal<Value>): Store<Value> {
  return {
    get: () => of.value,
    set: (value) => {
      of.value = value;
    },
    subscribe: (listener) => {
      // A signal also calls its listeners at once.
      let isChange = false;
      return of.subscribe(() => {
        if (isChange) listener();
        isChange = true;
      });
    },
  };
}
