/** Links the ids of a request to the pages with all events of one entity. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo } from '../../data/route.ts';

export function entityLink(project: string, id: string, text = id): TemplateResult {
  return html`<a href=${linkTo('entity', { project, id })}>${text}</a>`;
}

/** Renders the first ids as links, and the number of the others. */
export function entityLinks(project: string | null, ids: readonly string[], max = 10): TemplateResult {
  const shown = ids
    .slice(0, max)
    .map((id, index) => html`${index > 0 ? ', ' : nothing}${project === null ? id : entityLink(project, id)}`);
  return html`${shown}${ids.length > max ? html` <span class="quiet">+${(ids.length - max).toLocaleString('en')}</span>` : nothing}`;
}
