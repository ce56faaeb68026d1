/** The key that the console sends requests of the API with: the published one, until another is typed in. Kept nowhere else. */
import { createStore, type Store } from './store.ts';

export const apiKey: Store<string> = createStore('sandbox-key');
