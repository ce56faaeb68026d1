/** The requests that refer to a record, newest first. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { linkTo, route } from '../../data/route.ts';
import { statusChip } from '../../parts/status.ts';
import { toTime } from './collections.ts';

type RequestSummary = Schemas['RequestSummary'];

/** Maximum number of requests that are shown. A record that changes often has thousands. */
const maxShown = 200;

export function historyTable(requests: readonly RequestSummary[]): TemplateResult {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-labelledby="history">
      <table>
        <thead><tr><th scope="col">Time</th><th scope="col">Operation</th><th scope="col">Status</th><th scope="col">Request</th><th scope="col">Details</th></tr></thead>
        <tbody>${requests.slice(-maxShown).toReversed().map(row)}</tbody>
      </table>
    </div>
    ${requests.length > maxShown ? html`<p class="quiet">The latest ${maxShown} of ${requests.length}.</p>` : nothing}
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
}: RequestSummary): TemplateResult {
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
          ${warnings.length > 0 ? html`<span class="chip warn">${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}</span>` : nothing}
          ${firedScenarios.map((name) => html`<span class="chip quiet">${name}</span>`)}
          ${callbacks.map((callback, index) => html`<a href=${linkTo('callbacks', { project: project ?? '', callback })}>callback ${index + 1}</a>`)}
        </span>
      </td>
    </tr>
  `;
}
