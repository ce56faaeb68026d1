/** For screens that show one project: which it is, and what stands there while none is chosen, or there is none such. */
import { html, nothing, type TemplateResult } from 'lit';
import { projects } from '../data/live.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { empty } from './empty.ts';

/** What the list is before it is loaded for the first time. */
const unloaded = projects.get();

/** The project of the address, or the only one that there is. */
export function chosenProject(): string | undefined {
  const { project = '' } = route.get().query;
  return project === '' ? onlyProject() : project;
}

/** The one that is shown though none is chosen, since there is no other. */
export function onlyProject(): string | undefined {
  const { project = '' } = route.get().query;
  const [only, ...others] = projects.get();
  return project === '' && others.length === 0 ? only?.id : undefined;
}

/** Says that the project of the address has nothing yet: its name may be mistyped, or be of one that is to come. */
export function unknownProject(): TemplateResult | typeof nothing {
  const { project = '' } = route.get().query;
  const all = projects.get();
  if (project === '' || all === unloaded || all.some(({ id }) => id === project)) return nothing;
  return html`<p class="note warn">There is no project ${project} yet; the first write makes it.</p>`;
}

/** Links to the projects that there are, and a field for another; `what` is what the screen would show of one. */
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
