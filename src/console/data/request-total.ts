/** The number of all requests that the screen Requests lists for the chosen project, without its filters. */
import { createStore, type Store } from './store.ts';

interface RequestTotal {
  /** Empty for all projects. */
  readonly project: string;
  readonly count: number;
}

/** Set by the navigation, which counts them. */
export const requestTotal: Store<RequestTotal | undefined> = createStore<RequestTotal | undefined>(undefined);
