/** Renders the latest problems, and the failed cells of the sweep, each with its next step. */
import { html, type TemplateResult } from 'lit';
import { type MatrixCell, toMatrix } from '../../../../sweep-report/matrix.ts';
import type { SweepReport } from '../../../../sweep-report/report.ts';
import { verdicts } from '../../../../sweep-report/verdicts.ts';
import { linkTo } from '../../../data/route.ts';
import { icon } from '../../../parts/icon.ts';
import { inlineCode } from '../../../parts/inline-code.ts';
import { adviceOf } from '../problems/advice.ts';
import type { Group } from '../problems/groups.ts';
import { verdictChip } from '../sweep/cases.ts';
import { findFailed, toCellName } from '../sweep/cells.ts';

/** Maximum number of problems, and of cells. */
const maxListed = 4;

export function renderNotSurvived(groups: readonly Group[], report: SweepReport | undefined): TemplateResult {
  return html`${renderProblems(groups)}${renderSweep(report)}`;
}

function heading(title: string, count: number, href: string): TemplateResult {
  const all = html`<a class="step push" href=${href}>All ${count.toLocaleString('en')}<span class="unseen"> of ${title}</span>${icon('arrow-right')}</a>`;
  return html`<div class="row"><h3>${title}</h3>${count === 0 ? '' : all}</div>`;
}

function renderProblems(groups: readonly Group[]): TemplateResult {
  return html`
    ${heading('Problems', groups.length, linkTo('quality', { tab: 'problems' }))}
    ${groups.length === 0 ? renderSurvived('No problems found.') : ''}
    <ul class="goal-list">${groups.slice(0, maxListed).map(renderProblem)}</ul>
  `;
}

function renderProblem({ latest }: Group): TemplateResult {
  const { kind, show, operation, place, cause } = latest;
  const { title, link } = adviceOf[kind];
  const { href, text } = link(latest);
  return html`
    <li>
      <p><span class="chip ${show === 'warnings' ? 'warn' : 'bad'}">${title}</span> <span class="quiet">${operation}</span></p>
      <p class="why" title=${place}>${place === '' ? '' : html`<code>${place.split('/').at(-1)}</code> `}${inlineCode(cause)}</p>
      <a class="step" href=${href}>${text}${icon('arrow-right')}</a>
    </li>
  `;
}

function renderSweep(report: SweepReport | undefined): TemplateResult {
  const open = (cell = ''): string => linkTo('quality', { tab: 'sweep', cell });
  if (!report) {
    return html`
      ${heading('Sweep', 0, '')}
      <ul class="goal-list">
        <li>
          <p class="quiet">A sweep runs your tests once for each failure.</p>
          <a class="step" href=${open()}>Open a sweep${icon('arrow-right')}</a>
        </li>
      </ul>
    `;
  }
  const failed = findFailed(toMatrix(report));
  const renderCell = (cell: MatrixCell): TemplateResult => html`
    <li>
      <p>${verdictChip(cell.verdict)} <code>${cell.kind}</code> <span class="quiet">${cell.operation}</span></p>
      <p class="quiet why">${verdicts[cell.verdict].meaning}</p>
      <a class="step" href=${open(toCellName(cell))}>Repeat it${icon('arrow-right')}</a>
    </li>
  `;
  return html`
    ${heading('Sweep', failed.length, open())}
    ${report.cases.length === 0 ? html`<p class="quiet">The sweep ended before its first case.</p>` : failed.length === 0 ? renderSurvived('Your client survives all failures that were tried.') : ''}
    <ul class="goal-list">${failed.slice(0, maxListed).map(renderCell)}</ul>
  `;
}

function renderSurvived(text: string): TemplateResult {
  return html`<p class="good survived">${icon('circle-check')}${text}</p>`;
}
