/** The first tab of a request: its result, its mistakes, and its facts. */
import { html, nothing, type TemplateResult } from 'lit';
import { entriesOf, type LocatedError } from '../../data/located-errors.ts';
import type { RequestDetails } from '../../data/request-details.ts';
import { readJson } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import { entityLinks } from './entity-links.ts';
import { renderOutcome } from './outcome.ts';

/** `show` opens the body at its first error. */
export function renderOverview(
  details: RequestDetails,
  errors: readonly LocatedError[],
  show: () => void,
): TemplateResult {
  const { request: found } = details;
  const { project, request, fault } = found;
  const ids = idsOf(details);
  const scenarios = new Set(found.rules.filter(({ fired }) => fired).map(({ scenario }) => scenario));
  return html`
    ${renderOutcome(details, errors.length > 0 ? show : undefined)}
    <dl class="facts">
      <dt>Path</dt><dd><code>${request.method} ${request.url}</code></dd>
      <dt>Project</dt><dd>${project === null ? 'none' : html`<a href=${linkTo('live', { project })}>${project}</a>`}</dd>
      ${ids.length === 0 ? nothing : html`<dt>Ids</dt><dd>${entityLinks(project, ids)}</dd>`}
      <dt>Received</dt><dd>${found.at}</dd>
      <dt>Duration</dt><dd>${found.durationMs} ms</dd>
      ${fault ? html`<dt>Connection</dt><dd class="bad">${fault}</dd>` : nothing}
      ${scenarios.size === 0 ? nothing : html`<dt>Scenarios</dt><dd>${[...scenarios].join(', ')}</dd>`}
    </dl>
  `;
}

/** Returns the ids that the body names, or else those of the changed records. */
function idsOf({ request: { request, changed = [] } }: RequestDetails): readonly string[] {
  const named = entriesOf(readJson(request.body)).map(({ id }) => id);
  return [...new Set([...named.filter((id) => id !== ''), ...changed.map(({ id }) => id)])];
}
