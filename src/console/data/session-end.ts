/** The end of a session, for the elements that are not written with Preact yet. */
import { isLoginRequired as signal } from '../api.ts';
import { type Store, toStore } from './store.ts';

export const isLoginRequired: Store<boolean> = toStore(signal);

/** Calls the listener when the session has ended: the next user may be another one. */
export function onSessionEnd(listener: () => void): void {
  isLoginRequired.subscribe(() => {
    if (isLoginRequired.get()) listener();
  });
}
