/**
 * The API key that the console sends with API requests: the published key by default. It is stored only in this page.
 */
import { createStore, type Store } from './store.ts';

export const publishedKey = 'sandbox-key';

export const apiKey: Store<string> = createStore(publishedKey);
