/** The page header: connection state, project selection, theme. */
import { html, nothing, type TemplateResult } from 'lit';
import { access, keyProjects } from './data/access.ts';
import { callApi, isLoginRequired } from './data/client.ts';
import { connection } from './data/events.ts';
import { projects } from './data/live.ts';
import { choose, linkTo, route, type ScreenName } from './data/route.ts';
import { chooseTheme, theme, themes } from './data/theme.ts';
import icon from './icon.svg';
import { onlyProject } from './parts/choose-project.ts';
import { attempt } from './parts/notices.ts';

const states = {
  connecting: { text: 'connecting', kind: 'quiet' },
  live: { text: 'live', kind: 'good' },
  lost: { text: 'disconnected, reconnecting', kind: 'bad' },
} as const;

/** Screens that show all projects if none is selected. The other screens need one project. */
const screensOfAllProjects: readonly ScreenName[] = ['live', 'problems', 'sweep', 'reference'];

/** The caller must watch the stores projects, route, connection, access and theme. */
export function renderHead(): TemplateResult {
  const { text, kind } = states[connection.get()];
  return html`
    <header class="head">
      <a class="name" href=${linkTo('live')}><img src=${icon} alt="" width="22" height="22" /><span class="word">field-sandbox</span></a>
      <span class="chip ${kind}" role="status">${text}</span>
      ${renderKey()}
      ${renderProject()}
      <label>
        <span class="word">Theme</span>
        <select @change=${({ target }: Event) => chooseTheme((target as HTMLSelectElement).value)}>
          ${themes.map((name) => html`<option ?selected=${name === theme.get()}>${name}</option>`)}
        </select>
      </label>
    </header>
  `;
}

/** Renders what the user's API key opens, and a button to log out. */
function renderKey(): TemplateResult | typeof nothing {
  const { label, expiresAt } = access.get() ?? {};
  const projects = keyProjects();
  if (projects === undefined) return nothing;
  const text = [label, projects.join(', ')].filter((one) => one !== undefined).join(': ');
  const title = `Your API key opens these projects only${expiresAt === undefined ? '' : `, until ${expiresAt}`}`;
  return html`
    <span class="chip quiet key" title=${title}><span class="unseen">${title}: </span>${text}</span>
    <button class="plain" @click=${logOut}>Log out</button>
  `;
}

async function logOut(): Promise<void> {
  if (await attempt('', () => callApi('DELETE', '/session'))) isLoginRequired.set(true);
}

function renderProject(): TemplateResult {
  const { project = '' } = route.get().query;
  return html`
    <div class="push project">
      <label>
        <span class="word">Project</span>
        <input
          class=${project === '' ? '' : 'chosen'}
          list="projects"
          size="18"
          placeholder=${projectPlaceholder()}
          .value=${project}
          @change=${({ target }: Event) => choose({ project: (target as HTMLInputElement).value.trim(), request: '' })}
        />
      </label>
      ${
        project === ''
          ? nothing
          : html`<button class="plain" title="Show all projects" @click=${showAll}><span aria-hidden="true">✕</span><span class="unseen">Show all projects</span></button>`
      }
    </div>
    <datalist id="projects">${projects.get().map(({ id }) => html`<option value=${id}></option>`)}</datalist>
  `;
}

/** Returns the placeholder of the project field. */
function projectPlaceholder(): string {
  if (screensOfAllProjects.includes(route.get().screen)) return 'all projects';
  const only = onlyProject();
  return only === undefined ? 'select a project' : `${only} (only project)`;
}

/** The button disappears, so the focus moves to the project field first. */
function showAll(): void {
  document.querySelector<HTMLElement>('.project input')?.focus();
  choose({ project: '', request: '' });
}
