/** The table of scenarios and failures, with switches for the project and for all projects. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { linkTo } from '../../../data/route.ts';
import { icon } from '../../../parts/icon.ts';
import { inlineCode } from '../../../parts/inline-code.ts';
import { notice } from '../../../parts/notices.ts';
import type { LoadedList } from './load.ts';
import { labelOf, type Row } from './rows.ts';

export interface TableView {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly loaded: LoadedList;
  readonly project: string | undefined;
  readonly isOfKey: boolean;
  /** Whether the rows are failures of several operations. */
  readonly hasOperations: boolean;
  /** Activates or deactivates a row: for the project, or without one for all. */
  readonly toggle: (row: Row, project: string | undefined, on: boolean) => void;
  readonly open: (row: Row) => void;
  readonly duplicate: (row: Row) => void;
  readonly remove: (row: Row) => void;
}

export function renderTable(view: TableView): TemplateResult {
  const { label, rows, project, isOfKey } = view;
  return html`
    <div class="scroll" role="region" tabindex="0" aria-label=${label}>
      <table class="failures">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="about">What happens</th>
            <th scope="col" class="ways">For one request</th>
            <th scope="col" class="hits">Fired</th>
            ${project === undefined ? nothing : html`<th scope="col" class="on">${project}</th>`}
            ${isOfKey ? nothing : html`<th scope="col" class="on">All projects</th>`}
            <th scope="col"><span class="unseen">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          ${repeat(
            rows,
            ({ name }) => name,
            (row) => renderRow(row, view),
          )}
        </tbody>
      </table>
    </div>
  `;
}

function renderRow(row: Row, view: TableView): TemplateResult {
  const { name, title, operation, about, source, magicId, header } = row;
  const { loaded, project, isOfKey } = view;
  const { magicIds } = loaded.active ?? loaded.serverScenarios ?? {};
  const label = labelOf(row);
  const href = linkTo('scenarios', { edit: source === undefined ? 'new' : name });
  const open = (event: Event): void => {
    if (source !== undefined) return;
    event.preventDefault();
    view.open(row);
  };
  return html`
    <tr>
      <th scope="row"><a href=${href} @click=${open}>${title}</a>
        ${label === '' || label === 'shipped' ? nothing : html`<span class="chip quiet">${label}</span>`}
        ${name === 'magic-ids' && magicIds ? html`<span class="chip good">always on</span>` : nothing}</th>
      <td class="about" title=${about}><span>${view.hasOperations && operation !== undefined ? html`<strong>${operation}</strong>: ` : nothing}${inlineCode(about)}</span></td>
      <td class="ways">${copyable('id', magicId)} ${copyable('header', header)}</td>
      <td class="hits">${renderHits(name, loaded, project)}</td>
      ${project === undefined ? nothing : html`<td class="on">${renderSwitch(row, project, loaded.active?.scenarios, view)}</td>`}
      ${isOfKey ? nothing : html`<td class="on">${renderSwitch(row, undefined, loaded.serverScenarios?.scenarios, view)}</td>`}
      <td class="acts">
        ${source === 'control' && !isOfKey ? html`<button type="button" class="icon" aria-label=${`Delete ${name}`} title="Delete" @click=${() => view.remove(row)}>${icon('trash')}</button>` : nothing}
        <button type="button" class="icon" aria-label=${`Duplicate ${name}`} title="Duplicate" @click=${() => view.duplicate(row)}>${icon('copy')}</button>
      </td>
    </tr>
  `;
}

function copyable(what: string, text: string | undefined): TemplateResult | typeof nothing {
  if (text === undefined) return nothing;
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => notice('good', `Copied ${text}.`),
      () => notice('bad', 'The browser blocked copying.'),
    );
  };
  return html`<button type="button" class="copyable" title=${`Copy ${text}`} aria-label=${`Copy ${what} ${text}`} @click=${copy}>${what === 'id' ? text : what}</button>`;
}

function renderHits(name: string, { fired }: LoadedList, project: string | undefined): TemplateResult {
  const count = fired[name] ?? 0;
  if (count === 0) return html`<span class="quiet" aria-label="0">–</span>`;
  return html`<a href=${linkTo('live', { project: project ?? '', scenario: name })}>${count.toLocaleString('en')}</a>`;
}

function renderSwitch(
  row: Row,
  project: string | undefined,
  on: readonly string[] | undefined,
  { toggle }: TableView,
): TemplateResult {
  const isOn = on?.includes(row.name) ?? false;
  return html`
    <button type="button" class="switch" role="switch" aria-checked=${isOn} ?disabled=${on === undefined}
      aria-label=${`${row.name} for ${project ?? 'all projects'}`} @click=${() => toggle(row, project, !isOn)}></button>
  `;
}
