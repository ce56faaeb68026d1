/** What all screens share: the projects, the settings of the server, what the user may open, and notices. */
import { type Signal, signal } from '@preact/signals';
import { callApi, isLoginRequired, listAll, type Schemas, toMessage } from './api.ts';
import { acted, listen, type SandboxEvent } from './events.ts';
import { createReloader, frameMs } from './reloader.ts';
import { linkTo, route } from './route.ts';

export type Project = Schemas['ProjectSummary'];

/** Undefined until they are loaded. */
export const projects: Signal<readonly Project[] | undefined> = signal(undefined);

/** The projects after this number are not loaded. */
export const maxProjects = 1000;

/** The settings of the server, once they are loaded. They change only with a restart of the sandbox. */
export const settings: Signal<Schemas['Settings'] | undefined> = signal(undefined);

/** What the user may use: everything, or only the projects of an API key. Undefined until it is loaded. */
export const access: Signal<Schemas['Access'] | undefined> = signal(undefined);

export const publishedKey = 'sandbox-key';

/** The API key that the console sends with API requests: the published key by default. It is stored only in this page. */
export const apiKey: Signal<string> = signal(publishedKey);

/** Loads all data and keeps it up to date with the events. Call it once. */
export function startState(): void {
  const { soon } = createReloader(loadProjects, frameMs);
  listen((event) => {
    if (event.kind === 'missed') loadState();
    // Every request changes the counts of its project, and so does what it defers.
    else soon();
  });
  isLoginRequired.subscribe((isRequired) => {
    if (isRequired) clear();
  });
  loadState();
}

/** Removes all data, and what the user has entered: the next user may have other projects. */
function clear(): void {
  projects.value = undefined;
  access.value = undefined;
  apiKey.value = publishedKey;
}

/** Loads all data: at the start, after a gap, after a restart of the sandbox, and after a login. */
export function loadState(): void {
  void fill(access, callApi('GET', '/session'));
  void fill(settings, callApi('GET', '/settings'));
  void loadProjects();
}

function loadProjects(): Promise<void> {
  return fill(projects, listAll('/projects', maxProjects));
}

/** Without a response, the value before stays: the frame shows why. */
async function fill<Value>(target: Signal<Value>, loading: Promise<Value>): Promise<void> {
  target.value = await loading.catch(() => target.value);
}

/** Whether an event is of a project, or may be: it is of all, or of none. Every event is, if the name is empty. */
export function isOf(event: SandboxEvent, project: string | null | undefined): boolean {
  return project === '' || event.project === project || event.project === null;
}

/** Returns a test of the events of a project; of all events, if the name is empty. */
export function of(project: string | undefined): (event: SandboxEvent) => boolean {
  return (event) => isOf(event, project);
}

/** Whether the user may open a project, existing or not. */
export function mayOpen(project: string): boolean {
  return access.value?.projects?.some((pattern) => toExpression(pattern).test(project)) ?? true;
}

function toExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}

/** Returns the project in the URL, if the user may open it; or the only project if there is exactly one. */
export function chosenProject(): string | undefined {
  const { project = '' } = route.value.query;
  if (project !== '') return mayOpen(project) ? project : undefined;
  const [only, ...others] = projects.value ?? [];
  return others.length === 0 ? only?.id : undefined;
}

/** The number of all requests of a project, without filters; of all projects if its name is empty. The navigation counts. */
export const requestTotal: Signal<{ readonly project: string; readonly count: number } | undefined> = signal(undefined);

export interface Notice {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

export const notices: Signal<readonly Notice[]> = signal([]);

/** How long a notice stays visible. */
const noticeMs = 6000;

/** Shows a notice. A text that is visible already is not shown twice. */
export function notice(kind: Notice['kind'], text: string): void {
  const added = { kind, text };
  notices.value = [...notices.value.filter((other) => other.text !== text), added].slice(-3);
  setTimeout(() => {
    notices.value = notices.value.filter((other) => other !== added);
  }, noticeMs);
}

/** Runs an action, shows a notice of its success or failure, and loads again what is shown. Returns whether it succeeded. */
export async function attempt(successText: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    acted();
    if (successText !== '') notice('good', successText);
    return true;
  } catch (error) {
    notice('bad', toMessage(error));
    return false;
  }
}

export async function copyText(text: string | Promise<string>, done = 'Copied.'): Promise<void> {
  try {
    await navigator.clipboard.writeText(await text);
    notice('good', done);
  } catch {
    notice('bad', 'The browser blocked copying. Select the text and copy it manually.');
  }
}

/** Copies a link to the current view. It names the project also if it is the only one: it stays right when others are created. */
export function copyLink(): Promise<void> {
  const { screen, query } = route.value;
  const hash = linkTo(screen, { project: chosenProject() ?? '', ...query });
  return copyText(new URL(hash, location.href).href, 'Link copied.');
}
