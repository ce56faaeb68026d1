/** The end of a session: the user must log in. */
import { createStore, type Store } from './store.ts';

/** Whether the user must log in, with the admin token or an API key, before the sandbox sends any data. */
export const isLoginRequired: Store<boolean> = createStore(false);

/** Calls the listener when the session has ended: the next user may be another one. */
export function onSessionEnd(listener: () => void): void {
  isLoginRequired.subscribe(() => {
    if (isLoginRequired.get()) listener();
  });
}
