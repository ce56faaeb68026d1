/** Which projects there are for the user: chosen ones, recent ones, what a key opens, and copies. */
import { callApi, listAll, projectPath } from './api.ts';
import { readJson } from './format.ts';
import { linkTo, projectInUrl, route, type ScreenName } from './route.ts';
import { access, chosenProject, mayOpen, type Project, projects } from './state.ts';

/** What a screen shows of any project, such as its tab. The rest was open or filtered in another project. */
const kept: Readonly<Partial<Record<ScreenName, readonly string[]>>> = {
  live: ['sort'],
  records: ['collection', 'sort'],
  callbacks: ['view', 'sort'],
  quality: ['tab'],
  reference: ['operation', 'tab'],
  entity: ['id'],
  // The opened scenario is of all projects, and its text may not be saved.
  scenarios: ['edit', 'view', 'from'],
};

/** Shows a project on the current screen. */
export function openProject(project: string): void {
  const { screen, query } = route.value;
  const same = kept[screen]?.map((key) => [key, query[key] ?? ''] as const) ?? [];
  location.hash = linkTo(screen, { ...Object.fromEntries(same), project });
}

/** Screens that show all projects if none is selected. The other screens need one project. */
const screensOfAll: readonly ScreenName[] = ['live', 'quality', 'reference'];

/** Returns the project that the screen shows: that of the URL, or the only one; an empty text for all projects. */
export function shownProject(): string | undefined {
  return screensOfAll.includes(route.value.screen) ? projectInUrl() : chosenProject();
}

const storageKey = 'field-sandbox-recent-projects';
const maxRecent = 5;

/** The projects that this browser showed last, newest first. */
function recentProjects(): readonly string[] {
  const stored = readJson(localStorage.getItem(storageKey) ?? '');
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
}

/** Notes each project that is chosen. Call it once. */
export function noteRecentProjects(): void {
  route.subscribe(({ query: { project = '' } }) => {
    const recent = recentProjects();
    if (project === '' || recent[0] === project) return;
    const next = [project, ...recent.filter((one) => one !== project)].slice(0, maxRecent);
    localStorage.setItem(storageKey, JSON.stringify(next));
  });
}

/** Returns the recent projects, and the others by their number of requests. */
export function listProjects(): { readonly recent: readonly Project[]; readonly others: readonly Project[] } {
  const all = projects.value ?? [];
  const recent = recentProjects().flatMap((id) => all.find((one) => one.id === id) ?? []);
  const others = all.filter((one) => !recent.includes(one));
  return { recent, others: others.sort((one, other) => other.counts.requests - one.counts.requests) };
}

/** Whether the user logged in with an API key, so that what belongs to the server is closed. */
export function isOfKey(): boolean {
  return access.value?.admin === false;
}

/** Whether the user has logged in, and can log out. */
export function isLoggedIn(): boolean {
  return isOfKey() || access.value?.login === true;
}

/** Returns which projects the user's key opens, or an empty text if all are open. */
export function whatKeyOpens(): string {
  const opened = access.value?.projects;
  return opened ? `Your API key opens: ${opened.join(', ')}.` : '';
}

/** The project of examples: the chosen one, or `demo`, or one that the user's key opens. */
export function exampleProject(): string {
  const opened = access.value?.projects?.map((one) => one.replaceAll(/[*?]/g, '1')) ?? [];
  return chosenProject() ?? ['demo', ...opened].find(mayOpen) ?? 'demo';
}

/**
 * Copies a project, by default at its present state, and otherwise as it was after a change. Returns the id of the fork.
 * @throws {ApiError} if the sandbox rejects it
 */
export async function forkProject(project: string, atChange?: number): Promise<string> {
  const all = await listAll<Project>('/projects', Number.POSITIVE_INFINITY);
  const to = toFreeName(project, new Set(all.map(({ id }) => id)));
  await callApi('POST', projectPath(project, '/fork'), { to, ...(atChange !== undefined && { atChange }) });
  return to;
}

/** Returns `demo-fork`, `demo-fork-2`, …: also for forks of forks. */
function toFreeName(project: string, taken: ReadonlySet<string>): string {
  const base = `${project.replace(/-fork(-\d+)?$/, '')}-fork`;
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`;
  return name;
}
