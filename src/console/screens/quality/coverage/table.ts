/** Renders operations or callbacks with what is covered of each, and the next step. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, linkTo, route } from '../../../data/route.ts';
import { counted } from '../../../parts/counted.ts';
import { icon } from '../../../parts/icon.ts';
import { inlineCode } from '../../../parts/inline-code.ts';
import { table } from '../../../parts/table.ts';
import { activateButton } from './activate.ts';
import type { Item, Shown } from './filter.ts';

export function renderOperations(title: 'Operations' | 'Callbacks', shown: readonly Shown[]): TemplateResult {
  const isOfCalls = title === 'Operations';
  const columns = [
    isOfCalls ? 'Operation' : 'Callback',
    isOfCalls ? 'Calls' : 'Sent',
    isOfCalls ? 'Succeeded' : 'Accepted',
    isOfCalls ? 'Failures met' : 'Conditions met',
    'Next step',
  ];
  return html`
    <section class="column">
      <h2>${title}</h2>
      ${table(title, columns, shown.map(renderArea), 'coverage')}
    </section>
  `;
}

function renderArea(area: Shown): TemplateResult {
  const { name, target, calls, succeeded, isMet, metCount, total } = area;
  const isOpen = route.get().query['op'] === name;
  return html`
    <tr class=${calls === 0 ? 'unused' : ''}>
      <td>
        <button type="button" class="plain expand" aria-expanded=${isOpen} title=${target} @click=${() => choose({ op: isOpen ? '' : name })}>
          ${icon(isOpen ? 'chevron-down' : 'chevron-right')}<span class=${isMet ? 'good' : 'quiet'}>${icon(isMet ? 'circle-check' : 'minus')}<span class="unseen">${isMet ? 'met' : 'not met'}</span></span><code>${name}</code>
        </button>
      </td>
      <td class="number">${calls.toLocaleString('en')}</td>
      <td class="number">${succeeded.toLocaleString('en')}</td>
      <td><span class="met"><span class="part-bar"><i .style=${`--part: ${total === 0 ? 100 : (100 * metCount) / total}%`}></i></span>${metCount} of ${total}</span></td>
      <td>${renderNext(area)}</td>
    </tr>
    ${isOpen ? html`<tr class="inner"><td colspan="5">${renderItems(area)}</td></tr>` : nothing}
  `;
}

function renderNext({ kind, name, calls, next }: Shown): TemplateResult {
  if (kind === 'operation' && calls === 0) {
    return html`<a href=${linkTo('reference', { operation: name })}>Call it</a>`;
  }
  if (next === undefined) return html`<span class="good">complete</span>`;
  const open = (): void => choose({ op: name, met: 'no' });
  return html`<button type="button" class="plain next" @click=${open}>Meet <code>${next.kind}</code></button>`;
}

function renderItems(area: Shown): TemplateResult {
  if (area.items.length === 0) return html`<p class="quiet">None matches the filter.</p>`;
  return html`<ul class="coverage-items" aria-label=${`Failures of ${area.name}`}>${area.items.map((item) => renderItem(area, item))}</ul>`;
}

function renderItem(area: Shown, item: Item): TemplateResult {
  const { kind, about, met, count, first, provoke, taken } = item;
  return html`
    <li>
      <span class=${met ? 'good' : 'quiet'}>${icon(met ? 'circle-check' : 'minus')}<span class="unseen">${met ? 'met' : 'not met'}</span></span>
      <code>${kind}</code>
      <span class="about">
        ${inlineCode(about)}
        ${met ? nothing : html`<span class="quiet">To meet it: ${inlineCode(provoke)}.</span>`}
      </span>
      <span class="next">
        ${met ? html`<span class="quiet">${counted(count, 'time')}${taken === undefined ? nothing : `, ${taken} accepted`}</span>` : activateButton(area, item)}
        ${first ? html`<a href=${linkTo('live', { project: first.project ?? '', request: first.request })}>First request</a>` : nothing}
      </span>
    </li>
  `;
}
