/** Rows of a list open beside it; while one item waits for another to compare it with, a row opens the comparison. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, linkTo, route } from '../data/route.ts';

/** The parameter of the URL that opens an item of a list. */
type Item = 'request' | 'callback';

/** Returns where a row leads: to its detail, or to the comparison with the item that waits for it. */
export function rowLink(item: Item, id: string): string {
  const { screen, query } = route.get();
  const { compare = '', ...others } = query;
  if (compare === '') return linkTo(screen, { ...others, [item]: id });
  return linkTo('compare', { what: `${item}s`, a: compare, b: id });
}

/** Opens what a row leads to. `isMove`: by moving from one row to another. */
export function openRow(item: Item, id: string, isMove: boolean): void {
  if ((route.get().query['compare'] ?? '') !== '') location.hash = rowLink(item, id);
  else choose({ [item]: id }, isMove);
}

/** Renders which item waits for another, or nothing. */
export function renderComparison(item: Item): TemplateResult | typeof nothing {
  const { compare = '' } = route.get().query;
  if (compare === '') return nothing;
  return html`
    <p class="note info row" role="status">
      Select the ${item} to compare with <code>${compare}</code>.
      <button type="button" class="push" @click=${() => choose({ compare: '' })}>Cancel</button>
    </p>
  `;
}
