/** Live data for the frame and several screens: the projects and the settings. */
import { access, loadAccess } from './access.ts';
import { apiKey, publishedKey } from './api-key.ts';
import { callApi, listAll, type Schemas } from './client.ts';
import { listen } from './events.ts';
import { draft } from './scenario-draft.ts';
import { onSessionEnd } from './session-end.ts';
import { createStore, type Store } from './store.ts';

const noProjects: readonly Schemas['ProjectSummary'][] = [];
export const projects: Store<readonly Schemas['ProjectSummary'][]> = createStore(noProjects);

/** The projects after this number are not loaded. */
export const maxProjects = 1000;

/** The settings of the server, once they are loaded. They change only with a restart of the sandbox. */
export const settings: Store<Schemas['Settings'] | undefined> = createStore<Schemas['Settings'] | undefined>(undefined);

/** Loads all data and keeps it up to date with the events. Call it once. */
export function startLiveList(): void {
  listen((event) => {
    if (event.kind === 'missed') load();
    else if (event.kind !== 'records') scheduleProjects();
  });
  onSessionEnd(clear);
  load();
}

/** Removes all data, and what the user has entered: the next user may have other projects. */
function clear(): void {
  projects.set(noProjects);
  access.set(undefined);
  apiKey.set(publishedKey);
  draft.set('');
}

let areProjectsScheduled = false;

/** Reloads the projects at most twice a second, because every request changes their counts. */
function scheduleProjects(): void {
  if (areProjectsScheduled) return;
  areProjectsScheduled = true;
  setTimeout(() => {
    areProjectsScheduled = false;
    loadProjects();
  }, 500);
}

function loadProjects(): void {
  listAll<Schemas['ProjectSummary']>('/projects', maxProjects).then(
    (all) => projects.set(all),
    () => undefined,
  );
}

/** Loads all data: at the start, after a gap, after a restart of the sandbox, and after a login. */
export function load(): void {
  loadAccess();
  loadProjects();
  callApi<Schemas['Settings']>('GET', '/settings').then(settings.set, () => undefined);
}
