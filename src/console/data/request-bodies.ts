/** Keeps the request bodies that the user typed in the API reference, until the page is closed. */
import { createStore, type Store } from './store.ts';

/** By path and method of the operation. */
export const requestBodies: Store<ReadonlyMap<string, TypedBody>> = createStore<ReadonlyMap<string, TypedBody>>(
  new Map(),
);

export interface TypedBody {
  readonly pathMethod: readonly [path: string, method: string];
  readonly value: string;
}

export function saveBody(body: TypedBody): void {
  requestBodies.set(new Map(requestBodies.get()).set(body.pathMethod.join(' '), body));
}
