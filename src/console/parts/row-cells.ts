/** Cells that the tables of requests and of callbacks have in common. */
import { html, nothing, type TemplateResult } from 'lit';

export function timeCell(at: string): TemplateResult {
  return html`<time class="mono quiet" datetime=${at} title=${at}>${at.slice(11, 23)}</time>`;
}

/** Renders the first two ids, and the number of the others, which is always visible: `JOB-1, JOB-2 +48`. */
export function idsCell({
  ids,
  idCount,
}: {
  readonly ids: readonly string[];
  readonly idCount: number;
}): TemplateResult {
  const shown = ids.slice(0, 2);
  const more = idCount - shown.length;
  return html`<span class="ids" title=${ids.join(', ')}><span>${shown.join(', ')}</span>${more > 0 ? html` <span class="quiet">+${more.toLocaleString('en')}</span>` : nothing}</span>`;
}

/** Renders dots, whose kinds are class names. `label` describes them; `before` and `after` count those left out. */
export function dotsCell(
  label: string,
  kinds: readonly string[],
  {
    title = label,
    before = '',
    after = '',
  }: { readonly title?: string; readonly before?: string; readonly after?: string } = {},
): TemplateResult {
  const omitted = (text: string): unknown => (text === '' ? nothing : html`<span class="quiet">${text}</span>`);
  return html`
    <span class="dots" role="img" aria-label=${label} title=${title}>
      ${omitted(before)}${kinds.map((kind) => html`<span class="dot ${kind}"></span>`)}${omitted(after)}
    </span>
  `;
}
