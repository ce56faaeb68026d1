/** The columns of the list of callbacks. */
import { html, nothing, type TemplateResult } from 'lit';
import { type CallbackRow, callbackSortKeys, type RowAttempt } from '../../data/callback-rows.ts';
import { stateChip } from '../../parts/chips.ts';
import { rowLink } from '../../parts/compare-with.ts';
import { counted } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-table.ts';
import { dotsCell, idsCell, timeCell } from '../../parts/row-cells.ts';
import { span } from '../../parts/times.ts';
import { outcome, outcomeKind, outcomeText } from './labels.ts';

/** Returns the columns. They depend on the URL, because the links of the rows keep the filters. */
export function callbackColumns(): readonly Column<CallbackRow>[] {
  return [
    {
      key: 'at',
      title: 'Time',
      width: '92px',
      hideBelow: 540,
      sortKey: callbackSortKeys.at,
      cell: ({ at }) => timeCell(at),
    },
    {
      key: 'type',
      title: 'Type',
      width: 'minmax(112px, 1.2fr)',
      sortKey: callbackSortKeys.type,
      cell: ({ id, type }) =>
        html`<a class="row-link" tabindex="-1" href=${rowLink('callback', id)} title=${id}>${type}<span class="unseen"> ${id}</span></a>`,
    },
    { key: 'ids', title: 'Ids', width: 'minmax(60px, 1fr)', cell: idsCell },
    {
      key: 'state',
      title: 'State',
      width: '84px',
      sortKey: callbackSortKeys.state,
      cell: ({ state }) => stateChip(state),
    },
    {
      key: 'attempts',
      title: 'Attempts',
      width: '76px',
      hideBelow: 435,
      sortKey: callbackSortKeys.attempts,
      cell: renderAttempts,
    },
    {
      key: 'status',
      title: 'Last',
      width: '64px',
      hideBelow: 615,
      sortKey: callbackSortKeys.status,
      cell: ({ attempts }) => renderLast(attempts.at(-1)),
    },
    {
      key: 'latency',
      title: 'Latency',
      align: 'end',
      width: '68px',
      hideBelow: 695,
      sortKey: callbackSortKeys.latency,
      cell: ({ attempts }) => renderLatency(attempts.at(-1)),
    },
    {
      key: 'operation',
      title: 'Operation',
      width: 'minmax(96px, 0.9fr)',
      hideBelow: 805,
      sortKey: callbackSortKeys.operation,
      cell: ({ operation }) => html`<span class="quiet">${operation}</span>`,
    },
  ];
}

/** Maximum number of dots in a row. */
const maxDots = 5;

/** Renders one dot per attempt in the color of its outcome, and a hollow one for the next attempt. */
function renderAttempts({ attempts, attemptCount, state }: CallbackRow): TemplateResult {
  const shown = attempts.slice(-maxDots);
  const more = attemptCount - shown.length;
  const outcomes = shown.map(outcomeText).join(', ');
  const isPending = state === 'scheduled';
  const label = `${counted(attemptCount, 'attempt')}${outcomes === '' ? '' : `: ${outcomes}`}${isPending ? ', one scheduled' : ''}`;
  const kinds = [...shown.map(outcomeKind), ...(isPending ? ['next'] : [])];
  return dotsCell(label, kinds, { before: more > 0 ? `${more}+` : '' });
}

function renderLast(last: RowAttempt | undefined): TemplateResult | typeof nothing {
  if (last === undefined) return nothing;
  return last.error === undefined ? outcome(last) : html`<span class="chip bad" title=${last.error}>none</span>`;
}

function renderLatency(last: RowAttempt | undefined): TemplateResult | typeof nothing {
  if (last?.durationMs === undefined) return nothing;
  return html`<span class="mono quiet">${span(last.durationMs)}</span>`;
}
