/** Renders the matrix of a sweep as a table: kinds of failure by operation, with a button for each cell. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Matrix, MatrixCell } from '../../../../sweep-report/matrix.ts';
import { verdicts } from '../../../../sweep-report/verdicts.ts';
import { choose } from '../../../data/route.ts';
import { counted } from '../../../parts/counted.ts';
import { toCellName } from './cells.ts';

const groupTitles = {
  entries: 'Entries',
  statuses: 'Statuses',
  connection: 'Connection',
  callbacks: 'Callbacks',
  others: 'Others',
} as const;

/** Class of the style sheet for each kind of verdict. */
export const qualityClasses = { bad: 'bad', neutral: 'warn', good: 'good' } as const;

/** Renders the table. Only the cell named `entry` is in the order of the Tab key; arrow keys move between cells. */
export function renderMatrix(
  { operations, groups }: Matrix,
  entry: string,
  focused: (name: string) => void,
): TemplateResult {
  const renderCell = (cell: MatrixCell | undefined): TemplateResult =>
    html`<td>${cell ? cellButton(cell, toCellName(cell) === entry, focused) : nothing}</td>`;
  return html`
    <div class="scroll matrix" tabindex="0" role="region" aria-label="Failures by operation">
      <table @keydown=${moveFocus}>
        <thead>
          <tr>
            <th scope="col">Failure</th>
            ${operations.map((operation) => html`<th scope="col" class="operation"><span>${operation}</span></th>`)}
          </tr>
        </thead>
        ${groups.map(
          ({ name, rows }) => html`
            <tbody>
              <tr class="group"><th scope="rowgroup" colspan=${operations.length + 1}>${groupTitles[name]}</th></tr>
              ${rows.map(({ kind, cells }) => html`<tr><th scope="row">${kind}</th>${cells.map(renderCell)}</tr>`)}
            </tbody>
          `,
        )}
      </table>
    </div>
  `;
}

function cellButton(cell: MatrixCell, isEntry: boolean, focused: (name: string) => void): TemplateResult {
  const { operation, kind, verdict, cases } = cell;
  const { symbol, quality } = verdicts[verdict];
  const name = toCellName(cell);
  const label = `${operation}, ${kind}: ${verdict}, ${counted(cases.length, 'case')}`;
  return html`
    <button type="button" class="cell ${qualityClasses[quality]}" data-cell=${name} aria-label=${label} title=${label}
      tabindex=${isEntry ? 0 : -1} @focus=${() => focused(name)} @click=${() => choose({ cell: name })}>${symbol}</button>
  `;
}

const steps: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Moves the focus to the next cell in the direction of an arrow key. */
function moveFocus(event: KeyboardEvent): void {
  const step = steps[event.key];
  const from = (event.target as Element).closest('td');
  if (!step || !from) return;
  event.preventDefault();
  findNext(from, step)?.focus();
}

/** Returns the next button in a direction, or undefined at the end. Skips places without cases. */
function findNext(
  from: HTMLTableCellElement,
  [down, right]: readonly [down: number, right: number],
): HTMLElement | undefined {
  const rows = [...(from.closest('table')?.rows ?? [])];
  const columns = rows[0]?.cells.length ?? 0;
  let row = rows.findIndex((one) => one.contains(from)) + down;
  let column = from.cellIndex + right;
  while (rows[row] && column > 0 && column < columns) {
    const button = rows[row]?.cells[column]?.querySelector('button');
    if (button) return button;
    row += down;
    column += right;
  }
  return undefined;
}
