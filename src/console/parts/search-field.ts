/** A search field. Its text is in the URL, and a change leads to the first page. */
import { html, type TemplateResult } from 'lit';
import { choose, route } from '../data/route.ts';

export function searchField(label: string, placeholder: string): TemplateResult {
  const search = ({ target }: Event): void => choose({ q: (target as HTMLInputElement).value, page: '' }, true);
  return html`
    <input class="grow" type="search" aria-label=${label} placeholder=${placeholder} .value=${route.get().query['q'] ?? ''} @input=${search} />
  `;
}
