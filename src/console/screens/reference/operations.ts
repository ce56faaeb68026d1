/** The list of operations: by heading, filtered by a field, and moved through by arrow keys. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, linkTo } from '../../data/route.ts';
import type { ApiOperation } from './document.ts';
import type { Document } from './openapi.ts';

export interface Listed {
  readonly document: Document;
  readonly operations: readonly ApiOperation[];
  /** Id of the open operation, or an empty text. */
  readonly chosen: string;
  readonly search: string;
  readonly setSearch: (text: string) => void;
}

/** Groups operations by tag, in the order of the document. */
function groupsOf(
  document: Document,
  operations: readonly ApiOperation[],
): readonly [string, readonly ApiOperation[]][] {
  const named = (document.tags ?? []).map(({ name }) => name);
  const all = new Set([...named, ...operations.map(({ tag }) => tag)]);
  const groups = [...all].map((name): [string, readonly ApiOperation[]] => [
    name,
    operations.filter(({ tag }) => tag === name),
  ]);
  return groups.filter(([, list]) => list.length > 0);
}

function isMatch({ id, path, summary, tag }: ApiOperation, search: string): boolean {
  const text = search.trim().toLowerCase();
  return [id, path, summary, tag].some((one) => one.toLowerCase().includes(text));
}

export function renderOperations({ document, operations, chosen, search, setSearch }: Listed): TemplateResult {
  const groups = groupsOf(
    document,
    operations.filter((one) => isMatch(one, search)),
  );
  return html`
    <nav class="operations" aria-label="Operations" @keydown=${move}>
      <input type="search" aria-label="Filter operations" placeholder="Filter: id, path or word" .value=${search}
        @input=${({ target }: Event) => setSearch((target as HTMLInputElement).value)} />
      <div class="operation-list">
        ${groups.length === 0 ? html`<p class="quiet" role="status">No matches in ids, paths, summaries and headings.</p>` : nothing}
        ${groups.map(
          ([name, list]) => html`
            <h2>${name}</h2>
            <ul>${list.map((one) => renderLink(one, chosen))}</ul>
          `,
        )}
      </div>
    </nav>
  `;
}

/** Replaces the list where there is no room for a column. */
export function renderPicker({ document, operations, chosen }: Listed): TemplateResult {
  const open = ({ target }: Event): void => choose({ operation: (target as HTMLSelectElement).value });
  return html`
    <select class="operation-picker" aria-label="Operation" .value=${chosen} @change=${open}>
      <option value="" ?selected=${chosen === ''}>Overview</option>
      ${groupsOf(document, operations).map(
        ([name, list]) => html`
          <optgroup label=${name}>
            ${list.map(({ id, method }) => html`<option value=${id} ?selected=${id === chosen}>${method} ${id}</option>`)}
          </optgroup>
        `,
      )}
    </select>
  `;
}

function renderLink({ id, method, path, summary }: ApiOperation, chosen: string): TemplateResult {
  return html`
    <li>
      <a class="operation-link" href=${linkTo('reference', { operation: id })} title="${summary}\n${method} ${path}" aria-current=${id === chosen ? 'page' : nothing}>
        ${methodBadge(method)}<span class="operation-id">${breakable(id, /(?=[A-Z])/)}</span>
      </a>
    </li>
  `;
}

/** Lets a text break at each match. */
export function breakable(text: string, at: RegExp): TemplateResult {
  return html`${text.split(at).map((part) => html`${part}<wbr />`)}`;
}

export function methodBadge(method: string): TemplateResult {
  return html`<span class="method method-${method.toLowerCase()}">${method}</span>`;
}

/** Moves the focus by arrow keys, also from the filter into the list and back. */
function move(event: KeyboardEvent): void {
  const inField = event.target instanceof HTMLInputElement;
  const step = stepOf(event.key, inField);
  if (step === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const nav = event.currentTarget as HTMLElement;
  const stops = [...nav.querySelectorAll<HTMLElement>('input, a')];
  const to = stops[stops.indexOf(event.target as HTMLElement) + step];
  event.preventDefault();
  to?.focus();
}

function stepOf(key: string, inField: boolean): number {
  if (key === 'ArrowDown' || (key === 'j' && !inField)) return 1;
  return key === 'ArrowUp' || (key === 'k' && !inField) ? -1 : 0;
}
