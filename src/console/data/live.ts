/** The projects and the settings, for the elements that are not written with Preact yet. */
import type { Schemas } from '../api.ts';
import { type Project, projects as projectsSignal, settings as settingsSignal } from '../state.ts';
import { type Store, toStore } from './store.ts';

export { loadState as load, maxProjects } from '../state.ts';

const none: readonly Project[] = [];
const loaded = toStore(projectsSignal);

/** An empty list, always the same, until they are loaded. */
export const projects: Store<readonly Project[]> = { ...loaded, get: () => loaded.get() ?? none };
export const settings: Store<Schemas['Settings'] | undefined> = toStore(settingsSignal);
