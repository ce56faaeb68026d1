/** The columns of the list of callbacks. */
import { html, nothing, type TemplateResult } from 'lit';
import { type CallbackRow, callbackSortKeys, type RowAttempt } from '../../data/callback-rows.ts';
import { linkTo, route } from '../../data/route.ts';
import { stateChip } from '../../parts/chips.ts';
import { counted } from '../../parts/counted.ts';
import type { Column } from '../../parts/data-table.ts';
import { span } from '../../parts/times.ts';
import { outcome, outcomeKind, outcomeText } from './labels.ts';

/** Returns where a row leads: to its detail, or to the comparison with the callback that waits for it. */
export function rowLink(id: string): string {
  const { query } = route.get();
  const { compare = '', ...others } = query;
  if (compare === '') return linkTo('callbacks', { ...others, callback: id });
  return linkTo('compare', { what: 'callbacks', a: compare, b: id });
}

/** Returns the columns. They depend on the URL, because the links of the rows keep the filters. */
export function callbackColumns(): readonly Column<CallbackRow>[] {
  return [
    {
      key: 'at',
      title: 'Time',
      width: '92px',
      hideBelow: 540,
      sortKey: callbackSortKeys.at,
      cell: ({ at }) => html`<time class="mono quiet" datetime=${at} title=${at}>${at.slice(11, 23)}</time>`,
    },
    {
      key: 'type',
      title: 'Type',
      width: 'minmax(112px, 1.2fr)',
      sortKey: callbackSortKeys.type,
      cell: ({ id, type }) =>
        html`<a class="row-link" tabindex="-1" href=${rowLink(id)} title=${id}>${type}<span class="unseen"> ${id}</span></a>`,
    },
    { key: 'ids', title: 'Ids', width: 'minmax(60px, 1fr)', cell: renderIds },
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

/** Renders the first two ids, and the number of the others, which is always visible: `JOB-1, JOB-2 +48`. */
function renderIds({ ids, idCount }: CallbackRow): TemplateResult {
  const shown = ids.slice(0, 2);
  const more = idCount - shown.length;
  return html`<span class="ids" title=${ids.join(', ')}><span>${shown.join(', ')}</span>${more > 0 ? html`<span class="quiet">+${more.toLocaleString('en')}</span>` : nothing}</span>`;
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
  return html`
    <span class="dots" role="img" aria-label=${label} title=${label}>
      ${more > 0 ? html`<span class="quiet">${more}+</span>` : nothing}${shown.map((one) => html`<span class="dot ${outcomeKind(one)}"></span>`)}${isPending ? html`<span class="dot next"></span>` : nothing}
    </span>
  `;
}

function renderLast(last: RowAttempt | undefined): TemplateResult | typeof nothing {
  if (last === undefined) return nothing;
  return last.error === undefined ? outcome(last) : html`<span class="chip bad" title=${last.error}>none</span>`;
}

function renderLatency(last: RowAttempt | undefined): TemplateResult | typeof nothing {
  if (last?.durationMs === undefined) return nothing;
  return html`<span class="mono quiet">${span(last.durationMs)}</span>`;
}
