/** The requests that named a record, the latest first. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../data/client.ts';
import { linkTo, route } from '../data/route.ts';
import { statusChip } from '../parts/status.ts';
import { toTime } from './records-collections.ts';

type Journalled = Schemas['RequestSummary'];

/** A record that is changed all the time has thousands. */
const mostShown = 200;

export function historyTable(requests: readonly Journalled[]): TemplateResult {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-labelledby="history">
      <table>
        <thead><tr><th scope="col">At</th><th scope="col">Operation</th><th scope="col">Status</th><th scope="col">Request</th><th scope="col">Remarks</th></tr></thead>
        <tbody>${requests.slice(-mostShown).toReversed().map(row)}</tbody>
      </table>
    </div>
    ${requests.length > mostShown ? html`<p class="quiet">The latest ${mostShown} of ${requests.length}.</p>` : nothing}
  `;
}

function row({
  id,
  at,
  operation,
  method,
  path,
  status,
  warnings,
  rules,
  callbacks,
  project,
}: Journalled): TemplateResult {
  const { screen, query } = route.get();
  const acted = [...new Set(rules.filter(({ fired }) => fired).map(({ scenario }) => scenario))];
  return html`
    <tr>
      <td>${toTime(at)}</td>
      <td>${operation ?? `${method} ${path}`}</td>
      <td>${statusChip(status)}</td>
      <td><a class="mono" href=${linkTo(screen, { ...query, request: id })}>${id}</a></td>
      <td>
        <span class="row">
          ${warnings.length > 0 ? html`<span class="chip warn">${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}</span>` : nothing}
          ${acted.map((name) => html`<span class="chip quiet">${name}</span>`)}
          ${callbacks.map((callback, index) => html`<a href=${linkTo('callbacks', { project: project ?? '', callback })}>callback ${index + 1}</a>`)}
        </span>
      </td>
    </tr>
  `;
}
