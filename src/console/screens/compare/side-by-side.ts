/** Renders two things beside each other, with their differences marked. */
import { html, nothing, type TemplateResult } from 'lit';
import { counted } from '../../parts/counted.ts';
import { compareTexts, type Piece, type Row } from './text-diff.ts';

/** Named values, such as headers. */
export type Facts = readonly (readonly [name: string, value: string])[];

/** One side of a comparison. Both sides have the same sections in the same order. */
export interface Side {
  readonly project: string;
  readonly title: TemplateResult | string;
  readonly sections: readonly Section[];
}

export type Section = { readonly title: string } & ({ readonly facts: Facts } | { readonly text: string });

/** Facts that differ in every pair, so that they are not marked. */
const neutral: ReadonlySet<string> = new Set(['Time', 'Duration', 'Due', 'date', 'x-request-id', 'webhook-id']);

/** Number of equal lines shown before and after a difference. */
const context = 3;

export function sideBySide(a: Side, b: Side): TemplateResult {
  return html`
    <div class="pair heads"><h2><span class="count">A</span> ${a.title}</h2><h2><span class="count">B</span> ${b.title}</h2></div>
    ${a.sections.map((section, index) => renderSection(section, b.sections[index]))}
  `;
}

function renderSection(a: Section, b: Section | undefined): TemplateResult | typeof nothing {
  if ('facts' in a) return renderFacts(a.title, a.facts, b && 'facts' in b ? b.facts : []);
  return renderTexts(a.title, a.text, b && 'text' in b ? b.text : '');
}

function renderFacts(title: string, a: Facts, b: Facts): TemplateResult | typeof nothing {
  const [atA, atB] = [new Map(a), new Map(b)];
  const names = [...new Set([...atA.keys(), ...atB.keys()])];
  const differs = (name: string): boolean => !neutral.has(name) && atA.get(name) !== atB.get(name);
  const different = names.filter(differs).length;
  const cell = (value: string | undefined, isDifferent: boolean): TemplateResult =>
    html`<td class=${isDifferent ? 'differs' : ''}>${value ?? html`<span class="quiet">—</span>`}</td>`;
  if (names.length === 0) return nothing;
  const table = html`
    <div class="scroll" tabindex="0" role="group" aria-label=${title}>
      <table class="facts">
        <colgroup><col class="name" /><col /><col /></colgroup>
        <thead class="unseen"><tr><th scope="col">Name</th><th scope="col">A</th><th scope="col">B</th></tr></thead>
        <tbody>${names.map((name) => {
          const isDifferent = differs(name);
          return html`<tr><th scope="row">${name}</th>${cell(atA.get(name), isDifferent)}${cell(atB.get(name), isDifferent)}</tr>`;
        })}</tbody>
      </table>
    </div>
  `;
  return different === 0 && title !== 'Overview'
    ? html`<details><summary>${heading(title, 0)}</summary>${table}</details>`
    : html`<div class="column">${heading(title, different)}${table}</div>`;
}

function heading(title: string, different: number): TemplateResult {
  return html`
    <div class="row">
      <h3>${title}</h3>
      ${different === 0 ? html`<span class="chip good">equal</span>` : html`<span class="chip warn">${counted(different, 'difference')}</span>`}
    </div>
  `;
}

export function renderTexts(title: string, a: string, b: string): TemplateResult | typeof nothing {
  if (a === '' && b === '') return nothing;
  const rows = compareTexts(a, b);
  return html`
    <div class="column">
      ${rows ? heading(title, countDifferences(rows)) : html`<h3>${title}</h3><p class="note">The texts differ too much to mark it.</p>`}
      <div class="lines mono" tabindex="0" role="group" aria-label=${`${title} beside each other`}>
        ${rows ? renderRows(rows) : renderLine({ a: [{ text: a, isChanged: false }], b: [{ text: b, isChanged: false }], isEqual: true })}
      </div>
    </div>
  `;
}

/** Counts runs of changed lines. */
function countDifferences(rows: readonly Row[]): number {
  return rows.filter(({ isEqual }, index) => !isEqual && (rows[index - 1]?.isEqual ?? true)).length;
}

/** Folds equal lines that are far from a difference. */
function renderRows(rows: readonly Row[]): readonly TemplateResult[] {
  const isNear = rows.map((_, index) =>
    rows.slice(Math.max(0, index - context), index + context + 1).some(({ isEqual }) => !isEqual),
  );
  const shown: TemplateResult[] = [];
  for (let from = 0; from < rows.length; ) {
    let to = from + 1;
    while (to < rows.length && isNear[to] === isNear[from]) to += 1;
    const run = rows.slice(from, to);
    const lines = run.map(renderLine);
    shown.push(
      isNear[from] || run.length <= context
        ? html`${lines}`
        : html`<details ?open=${run.length === rows.length && rows.length <= 30}><summary>${counted(run.length, 'equal line')}</summary>${lines}</details>`,
    );
    from = to;
  }
  return shown;
}

function renderLine({ a, b, isEqual }: Row): TemplateResult {
  return html`<div class="pair">${renderSide(a, isEqual, 'removed')}${renderSide(b, isEqual, 'added')}</div>`;
}

function renderSide(pieces: readonly Piece[] | undefined, isEqual: boolean, kind: string): TemplateResult {
  if (!pieces) return html`<span class="line missing"></span>`;
  const shown = pieces.map(({ text, isChanged }) => (isChanged ? html`<mark>${text}</mark>` : text));
  return isEqual
    ? html`<span class="line">${shown}</span>`
    : html`<span class="line ${kind}" role=${kind === 'removed' ? 'deletion' : 'insertion'}>${shown}</span>`;
}
