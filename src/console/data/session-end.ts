/** The end of a session, for the elements that are not written with Preact yet. */
import { isLoginRequired as signal } from '../api.ts';
import { type Store, toStore } from './store.ts';

export const isLoginRequired: Store<boolean> = toStore(signal);
