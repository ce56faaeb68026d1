/** The events of the sandbox, for the elements that are not written with Preact yet. */
import { type ConnectionState, connection as signal } from '../events.ts';
import { type Store, toStore } from './store.ts';

export { listen, type SandboxEvent } from '../events.ts';

export const connection: Store<ConnectionState> = toStore(signal);
