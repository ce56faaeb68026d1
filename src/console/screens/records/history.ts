/** The requests that refer to a record, newest first. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { linkTo, route } from '../../data/route.ts';
import { statusChip } from '../../parts/chips.ts';
import { counted } from '../../parts/counted.ts';
import { table } from '../../parts/table.ts';
import { toTime } from './collections.ts';

type RequestSummary = Schemas['RequestSummary'];

/** Maximum number of requests that are shown. A record that changes often has thousands. */
const maxShown = 200;

export function historyTable(requests: readonly RequestSummary[]): TemplateResult {
  return html`
    ${table('Related requests', ['Time', 'Operation', 'Status', 'Request', 'Details'], requests.slice(-maxShown).toReversed().map(row))}
    ${requests.length > maxShown ? html`<p class="quiet">The latest ${maxShown} of ${requests.length}.</p>` : nothing}
  `;
}

function row(request: RequestSummary): TemplateResult {
  const { id, at, operation, method, path, status, warnings, rules, callbacks, project } = request;
  const { screen, query } = route.get();
  const firedScenarios = [...new Set(rules.filter(({ fired }) => fired).map(({ scenario }) => scenario))];
  return html`
    <tr>
      <td>${toTime(at)}</td>
      <td>${operation ?? `${method} ${path}`}</td>
      <td>${statusChip(status)}</td>
      <td><a class="mono" href=${linkTo(screen, { ...query, request: id })}>${id}</a></td>
      <td>
        <span class="row">
          ${warnings.length > 0 ? html`<span class="chip warn">${counted(warnings.length, 'warning')}</span>` : nothing}
          ${firedScenarios.map((name) => html`<span class="chip quiet">${name}</span>`)}
          ${callbacks.map((callback, index) => html`<a href=${linkTo('callbacks', { project: project ?? '', callback })}>callback ${index + 1}</a>`)}
        </span>
      </td>
    </tr>
  `;
}
