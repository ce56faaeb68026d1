/** The API key, for the elements that are not written with Preact yet. */
import { apiKey as signal } from '../state.ts';
import { type Store, toStore } from './store.ts';

export const apiKey: Store<string> = toStore(signal);
