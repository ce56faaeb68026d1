/** Shows a list in pages. The number of the page is in the URL. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, route } from '../data/route.ts';

export interface Page<Item> {
  /** The items of the current page. */
  readonly shown: readonly Item[];
  /** Links to the other pages. */
  readonly pager: TemplateResult | typeof nothing;
}

/** `key` is the query parameter with the number of the page. */
export function paged<Item>(items: readonly Item[], size = 50, key = 'page'): Page<Item> {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(route.get().query[key])) || 1));
  const first = (page - 1) * size;
  const shown = items.slice(first, first + size);
  if (pages === 1) return { shown, pager: nothing };
  const number = (value: number): string => value.toLocaleString('en');
  const button = (label: string, target: number): TemplateResult => html`
    <button ?disabled=${target === page || target < 1 || target > pages}
      @click=${() => choose({ [key]: target === 1 ? '' : String(target) }, true)}>${label}</button>
  `;
  const pager = html`
    <nav class="row" aria-label="Pages">
      ${button('First', 1)}${button('Previous', page - 1)}
      <span role="status">${number(first + 1)} to ${number(first + shown.length)} of ${number(items.length)}</span>
      ${button('Next', page + 1)}${button('Last', pages)}
    </nav>
  `;
  return { shown, pager };
}
