/** The columns of the list of requests. */
import { html, nothing, type TemplateResult } from 'lit';
import { requestSortKeys } from '../../data/request-list/sorting.ts';
import type { RequestRow } from '../../data/request-row.ts';
import { statusChip } from '../../parts/chips.ts';
import { rowLink } from '../../parts/compare-with.ts';
import { counted } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-table.ts';
import { dotsCell, idsCell, timeCell } from '../../parts/row-cells.ts';
import { latency } from '../../parts/times.ts';

/** Returns the columns. They depend on the URL, because the links of the rows keep the filters. */
export function requestColumns(hasProject: boolean): readonly Column<RequestRow>[] {
  return [
    {
      key: 'at',
      title: 'Time',
      ...(!hasProject && { hint: 'Time (project’s clock)' }),
      width: '92px',
      hideBelow: 520,
      sortKey: requestSortKeys.at,
      cell: ({ at }) => timeCell(at),
    },
    {
      key: 'method',
      title: 'Method',
      width: '50px',
      hideBelow: 640,
      sortKey: requestSortKeys.method,
      cell: ({ method }) => html`<span class="mono">${method}</span>`,
    },
    {
      key: 'operation',
      title: 'Operation',
      width: 'minmax(96px, 1.25fr)',
      sortKey: requestSortKeys.operation,
      cell: (row) =>
        html`<a class="row-link" tabindex="-1" href=${rowLink('request', row.id)} title=${row.path}>${row.operation ?? row.path}</a>`,
    },
    {
      key: 'project',
      title: 'Project',
      width: 'minmax(56px, 0.6fr)',
      // With a project, the column would have the same value in each row.
      hideBelow: hasProject ? Number.POSITIVE_INFINITY : 880,
      sortKey: requestSortKeys.project,
      cell: ({ project }) => html`<span class="quiet">${project ?? 'no project'}</span>`,
    },
    { key: 'ids', title: 'Ids', width: 'minmax(64px, 0.9fr)', hideBelow: 400, cell: idsCell },
    { key: 'status', title: 'Status', width: '52px', sortKey: requestSortKeys.status, cell: renderStatus },
    { key: 'result', title: 'Result', width: 'minmax(112px, 1.3fr)', hideBelow: 300, cell: renderResult },
    {
      key: 'callbacks',
      title: 'Callbacks',
      width: '72px',
      hideBelow: 760,
      sortKey: requestSortKeys.callbacks,
      cell: renderCallbacks,
    },
    {
      key: 'duration',
      title: 'Duration',
      align: 'end',
      width: '68px',
      hideBelow: 700,
      sortKey: requestSortKeys.duration,
      cell: ({ durationMs }) => html`<span class="mono quiet">${latency(durationMs)}</span>`,
    },
  ];
}

function renderStatus({ status }: RequestRow): TemplateResult {
  return statusChip(status, '—');
}

/** Renders the results of the entries, then warnings, faults and scenarios. */
function renderResult(row: RequestRow): TemplateResult {
  const { entries, warnings, scenarios, fault, status } = row;
  const parts = [
    { count: status >= 400 ? 1 : 0, text: status < 500 ? 'rejected' : 'failed', kind: 'bad' },
    { count: entries.accepted, text: `${entries.accepted} accepted`, kind: '' },
    { count: entries.refused, text: `${entries.refused} rejected`, kind: 'bad' },
    { count: entries.failed, text: `${entries.failed} failed`, kind: 'bad' },
    { count: entries.pending, text: `${entries.pending} pending`, kind: 'warn' },
    { count: warnings, text: counted(warnings, 'warning'), kind: 'warn' },
  ].filter(({ count }) => count > 0);
  const names = scenarios.map((name) => html`<span class="chip quiet">${name}</span> `);
  return html`<span class="result">${parts.map(
    ({ text, kind }, index) => html`${index > 0 ? ' · ' : nothing}<span class=${kind}>${text}</span>`,
  )}${fault ? html` <span class="bad">${fault}</span>` : nothing} ${names}</span>`;
}

/** Renders one dot per callback, in the color of its state. */
function renderCallbacks({ callbacks, callbackCount }: RequestRow): TemplateResult | typeof nothing {
  if (callbackCount === 0) return nothing;
  const states = callbacks.map(({ state }) => state).join(', ');
  const more = callbackCount - callbacks.length;
  const kinds = callbacks.map(({ state }) => state);
  const after = more > 0 ? `+${more}` : '';
  return dotsCell(`${counted(callbackCount, 'callback')}: ${states}`, kinds, { title: states, after });
}
