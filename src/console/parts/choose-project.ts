/** For screens that show one project: which it is, and what stands there while none is chosen. */
import { html, type TemplateResult } from 'lit';
import { projects } from '../data/live.ts';
import { linkTo, route } from '../data/route.ts';
import { empty } from './empty.ts';

/** The project of the address, or the only one that there is. */
export function chosenProject(): string | undefined {
  const { project = '' } = route.get().query;
  if (project !== '') return project;
  const [only, ...others] = projects.get();
  return others.length === 0 ? only?.id : undefined;
}

/** Links to the projects that there are; `what` is what the screen would show of one. */
export function chooseProject(what: string): TemplateResult {
  const all = projects.get();
  const { screen, query } = route.get();
  if (all.length === 0) {
    return empty(
      'No project so far',
      html`<p>A project comes into being with the first request for it: <a href=${linkTo('connect')}>connect your client</a>.</p>`,
    );
  }
  return empty(
    `Choose a project to see its ${what}`,
    html`<div class="row">${all.map(
      ({ id }) => html`<a class="button" href=${linkTo(screen, { ...query, project: id })}>${id}</a>`,
    )}</div>`,
  );
}
