/** For screens of one project: which project they show, and what they show while none is selected. */
import { html, nothing, type TemplateResult } from 'lit';
import { projects } from '../data/live.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { empty } from './empty.ts';

/** The initial value of the list. The store has another value as soon as the list was loaded. */
const initialProjects = projects.get();

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
  if (project === '' || all === initialProjects || all.some(({ id }) => id === project)) return nothing;
  return html`<p class="note warn">There is no project ${project} yet; the first write makes it.</p>`;
}

/** Renders links to all projects, and a field for another name. `what` names the content of the screen. */
export function chooseProject(what: string): TemplateResult {
  const all = projects.get();
  const { screen, query } = route.get();
  if (all.length === 0) {
    return empty(
      'No project so far',
      html`<div class="column">
        <p>A project comes into being with the first request for it: <a href=${linkTo('connect')}>connect your client</a>. Or name one now, as to set it up before that; the field Project at the top does the same.</p>
        ${nameField()}
      </div>`,
    );
  }
  return empty(
    `Choose a project to see its ${what}`,
    html`<div class="column">
      <div class="row">${all.map(
        ({ id }) => html`<a class="button" href=${linkTo(screen, { ...query, project: id })}>${id}</a>`,
      )}</div>
      <p>Or name another, also one that is still to come; the field Project at the top does the same.</p>
      ${nameField()}
    </div>`,
  );
}

function nameField(): TemplateResult {
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    choose({ project: String(new FormData(event.target as HTMLFormElement).get('id')).trim() });
  };
  return html`
    <form class="row" @submit=${open}>
      <label>Name <input name="id" required pattern=".*\\S.*" placeholder="demo" autocomplete="off" spellcheck="false" list="projects" /></label>
      <button>Open</button>
    </form>
  `;
}
