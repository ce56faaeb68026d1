/** What the user of the console may use: everything, or only the projects of an API key. */
import { access as signal } from '../state.ts';
import type { Schemas } from './schemas.ts';
import { type Store, toStore } from './store.ts';

/** Undefined until it is loaded. */
export const access: Store<Schemas['Access'] | undefined> = toStore(signal);

/** Whether the user logged in with an API key, so that what belongs to the server is closed. */
export function isOfKey(): boolean {
  return access.get()?.admin === false;
}

/** Returns the ids and patterns of the projects that the user's key opens; undefined if all are open. */
export function keyProjects(): readonly string[] | undefined {
  return access.get()?.projects ?? undefined;
}

/** Whether the user may open a project, existing or not. */
export function mayOpen(project: string): boolean {
  return keyProjects()?.some((pattern) => toExpression(pattern).test(project)) ?? true;
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
