/** The tab Sweep: shows the JSON file of a sweep as a matrix. The file is read in the browser and sent nowhere. */
import { html, nothing, type TemplateResult } from 'lit';
import {
  countQualities,
  countVerdicts,
  type Matrix,
  type MatrixCell,
  toMatrix,
} from '../../../../sweep-report/matrix.ts';
import type { SweepReport } from '../../../../sweep-report/report.ts';
import { verdicts } from '../../../../sweep-report/verdicts.ts';
import { choose, linkTo, route } from '../../../data/route.ts';
import { PageElement, watch } from '../../../element.ts';
import { closeOnEscape } from '../../../parts/close-on-escape.ts';
import { copyButton } from '../../../parts/copy-button.ts';
import { counted } from '../../../parts/counted.ts';
import { empty } from '../../../parts/empty.ts';
import { renderCases, verdictChip } from './cases.ts';
import { cellsOf, findFailed, toCellName } from './cells.ts';
import { command, loaded, loadedReport, loadFile } from './loaded.ts';
import { renderMatrix } from './matrix.ts';
import './sweep.css';

/** Maximum number of failed cells in the list, unless the user opens the rest. */
const maxListed = 10;

class QualitySweep extends PageElement {
  static override properties = { isDraggedOver: { state: true }, focusedName: { state: true } };
  declare private isDraggedOver: boolean;
  /** Name of the cell that had the focus last. */
  declare private focusedName: string;
  /** Name of the cell whose cases are shown. */
  private shownName = '';

  constructor() {
    super();
    this.isDraggedOver = false;
    this.focusedName = '';
    watch(this, route, loaded, command);
    closeOnEscape(this, () => {
      if (this.shownName !== '') this.close();
    });
    this.addEventListener('dragover', (event) => {
      event.preventDefault();
      this.isDraggedOver = true;
    });
    this.addEventListener('dragleave', () => (this.isDraggedOver = false));
    this.addEventListener('drop', (event) => {
      event.preventDefault();
      this.isDraggedOver = false;
      this.load(event.dataTransfer?.files);
    });
  }

  private load(files: FileList | null | undefined): void {
    const [file] = files ?? [];
    if (!file) return;
    choose({ cell: '' }, true);
    void loadFile(file);
  }

  private readonly close = (): void => {
    const name = this.shownName;
    choose({ cell: '' });
    this.querySelector<HTMLElement>(`[data-cell="${CSS.escape(name)}"]`)?.focus();
  };

  /** Moves the focus to the cases when they are opened. */
  protected override updated(): void {
    const { cell = '' } = route.get().query;
    const heading = this.querySelector<HTMLElement>('.drawer h2');
    if (cell !== this.shownName) heading?.focus();
    this.shownName = heading ? cell : '';
  }

  protected override render(): TemplateResult {
    const file = loaded.get();
    const report = loadedReport();
    return html`
      <div class="drop row ${this.isDraggedOver ? 'over' : ''}">
        <label>
          JSON file of a sweep
          <input type="file" accept=".json,application/json"
            @change=${({ target }: Event) => this.load((target as HTMLInputElement).files)} />
        </label>
        <span class="quiet">or drop it here. It stays in your browser.</span>
        <strong class="push" role="status">${report ? describe(report) : ''}</strong>
      </div>
      ${file && 'mistakes' in file.parsed ? renderMistakes(file.name, file.parsed.mistakes) : nothing}
      ${report ? this.renderReport(report) : file ? nothing : renderHint()}
    `;
  }

  private renderReport(report: SweepReport): TemplateResult {
    const matrix = toMatrix(report);
    if (matrix.operations.length === 0) return empty('No cases', html`<p>The sweep ended before its first case.</p>`);
    const { cell = '' } = route.get().query;
    const shown = findCell(matrix, cell);
    const entry = findCell(matrix, this.focusedName) ?? firstCell(matrix);
    return html`
      ${renderBar(report)}
      <div class="swept">
        ${renderMatrix(matrix, entry ? toCellName(entry) : '', (name) => (this.focusedName = name))}
        <div class="column card">
          ${renderFailed(matrix)}
          <h2>Verdicts</h2>
          <ul class="verdicts counted">
            ${countVerdicts(report).map(
              ({ verdict, count }) =>
                html`<li><span>${verdictChip(verdict)}</span><span class="number">${count.toLocaleString('en')}</span><span class="quiet">${verdicts[verdict].meaning}</span></li>`,
            )}
          </ul>
          <p class="quiet">Select a cell to see its cases. Arrow keys move between cells.</p>
        </div>
      </div>
      ${shown ? renderCases(shown, this.close) : nothing}
    `;
  }
}

/** Lists the failures that the client does not survive. Each opens its cases, which have the command to repeat them. */
function renderFailed(matrix: Matrix): TemplateResult {
  const failed = findFailed(matrix);
  if (failed.length === 0) return html`<p class="good">Your client survives all failures that were tried.</p>`;
  const others = failed.slice(maxListed);
  return html`
    <h2>Not survived</h2>
    <ul class="verdicts" aria-label="Not survived">${failed.slice(0, maxListed).map(renderFailedCell)}</ul>
    ${
      others.length === 0
        ? nothing
        : html`<details><summary>${others.length} more</summary><ul class="verdicts">${others.map(renderFailedCell)}</ul></details>`
    }
  `;
}

function renderFailedCell(cell: MatrixCell): TemplateResult {
  const href = linkTo('quality', { tab: 'sweep', cell: toCellName(cell) });
  return html`<li><span>${verdictChip(cell.verdict)}</span><a href=${href}><code>${cell.operation}</code>, ${cell.kind}</a></li>`;
}

function findCell(matrix: Matrix, name: string): MatrixCell | undefined {
  return cellsOf(matrix).find((cell) => toCellName(cell) === name);
}

function firstCell(matrix: Matrix): MatrixCell | undefined {
  return cellsOf(matrix)[0];
}

/** Shows the shares of bad, neutral and good cases; the line above has the numbers. */
function renderBar(report: SweepReport): TemplateResult {
  const { bad, neutral, good } = countQualities(report);
  const shares = { bad, warn: neutral, good, '': report.notTried };
  return html`
    <div class="sweep-bar" aria-hidden="true">
      ${Object.entries(shares).map(([name, count]) => html`<i class=${name} .style=${`--cases: ${count}`}></i>`)}
    </div>
  `;
}

function describe(report: SweepReport): string {
  const { bad, neutral, good } = countQualities(report);
  return `${counted(report.cases.length, 'case')}: ${bad} bad, ${neutral} neutral, ${good} good; ${report.notTried} not tried`;
}

function renderMistakes(name: string, mistakes: readonly string[]): TemplateResult {
  return html`
    <div class="note bad" role="alert">
      <p><strong>${name}</strong> is not the report of a sweep:</p>
      <ul>${mistakes.map((mistake) => html`<li>${mistake}</li>`)}</ul>
    </div>
  `;
}

function renderHint(): TemplateResult {
  const command = 'npx field-sandbox sweep --json sweep.json -- npm test';
  const next = html`
    <div class="column">
      <p>A sweep runs your tests once for each failure, and finds those that your client does not survive.</p>
      <pre>${command}</pre>
      <div>${copyButton('Copy command', () => command)}</div>
    </div>
  `;
  return empty('No sweep yet', next);
}

customElements.define('quality-sweep', QualitySweep);
