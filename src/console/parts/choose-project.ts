/** For screens of one project: which project they show, and what they show while none is selected. */
import { html, nothing, type TemplateResult } from 'lit';
import { keyProjects, mayOpen } from '../data/access.ts';
import { maxProjects, projects } from '../data/live.ts';
import { route } from '../data/route.ts';

/** The initial value of the list. The store has another value as soon as the list was loaded. */
const initialProjects = projects.get();

/** Whether the list of projects was loaded. Until then, it is empty. */
function areProjectsLoaded(): boolean {
  return projects.get() !== initialProjects;
}

/** Returns the project in the URL, or the only project if there is exactly one. */
export function chosenProject(): string | undefined {
  const { project = '' } = route.get().query;
  return project === '' ? onlyProject() : project;
}

/** Returns the only project, if the URL names none. */
export function onlyProject(): string | undefined {
  const { project = '' } = route.get().query;
  const [only, ...others] = projects.get();
  return project === '' && others.length === 0 ? only?.id : undefined;
}

/**
 * Warns that the project in the URL does not exist yet: the name may be mistyped, or its first write is still to come.
 */
export function unknownProject(): TemplateResult | typeof nothing {
  const { project = '' } = route.get().query;
  const all = projects.get();
  if (project === '' || !areProjectsLoaded() || all.some(({ id }) => id === project)) return nothing;
  if (!mayOpen(project))
    return html`<p class="note warn">Your API key does not open project ${project}. ${whatKeyOpens()}</p>`;
  // The project may be one of those that are not loaded.
  if (all.length >= maxProjects) return nothing;
  return html`<p class="note warn">Project ${project} does not exist yet. It is created on the first write.</p>`;
}

/** Returns which projects the user's key opens, or an empty text if all are open. */
function whatKeyOpens(): string {
  const projects = keyProjects();
  return projects === undefined ? '' : `Your API key opens: ${projects.join(', ')}.`;
}
