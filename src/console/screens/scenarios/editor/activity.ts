/** What an active scenario did: how often each of its rules fired, and the last requests on which one did. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath, type Schemas } from '../../../data/client.ts';
import { createResource, isOf, type Resource } from '../../../data/resource.ts';
import { choose, linkTo } from '../../../data/route.ts';
import { PageElement } from '../../../element.ts';
import { statusChip } from '../../../parts/chips.ts';
import { errorNote } from '../../../parts/notices.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import { type Active, readActive } from '../data.ts';

export type RuleCounts = Active['rules'];

interface Loaded {
  readonly isActive: boolean;
  readonly isForAll: boolean;
  readonly rules: RuleCounts;
  readonly requests: readonly Schemas['RequestRow'][];
  /** Number of requests on which a rule fired. */
  readonly total: number;
}

const shownRequests = 8;

async function load(project: string, name: string): Promise<Loaded> {
  const query = `view=rows&order=newest&limit=${shownRequests}&counts=true&scenario=${encodeURIComponent(name)}`;
  const [active, page] = await Promise.all([
    readActive(project),
    callApi<Schemas['RequestRowPage']>('GET', projectPath(project, `/requests?${query}`)),
  ]);
  return {
    isActive: active.scenarios.includes(name),
    isForAll: active.serverScenarios.includes(name),
    rules: active.rules.filter(({ scenario }) => scenario === name),
    requests: page.items,
    total: page.counts?.total ?? 0,
  };
}

/** `<scenario-activity .project=… .name=…>` dispatches `counted` with the counts of the rules. */
class ScenarioActivity extends PageElement {
  static override properties = { project: { attribute: false }, name: { attribute: false } };
  declare project: string;
  declare name: string;
  private readonly activity: Resource<Loaded> = createResource(this, {
    key: () => JSON.stringify([this.project, this.name]),
    load: () => load(this.project, this.name),
    onLoad: ({ rules }) => this.dispatchEvent(new CustomEvent('counted', { detail: rules })),
    reloadOn: (event) => event.kind !== 'records' && isOf(event, this.project),
  });

  protected override render(): TemplateResult {
    const { value, errorText } = this.activity;
    return html`
      <section class="column" aria-label="Activity">
        <h2>Activity in ${this.project}</h2>
        ${errorNote(errorText)}
        ${value !== undefined ? this.renderLoaded(value) : errorText === '' ? skeleton(3) : nothing}
      </section>
    `;
  }

  private renderLoaded({ isActive, isForAll, rules, requests, total }: Loaded): TemplateResult {
    return html`
      ${isActive || isForAll ? renderCounts(rules, isForAll && !isActive) : html`<p class="quiet">Not active. Its rules do not fire.</p>`}
      ${
        requests.length === 0
          ? html`<p class="quiet">${isActive || isForAll ? 'No request has met a rule yet.' : ''}</p>`
          : html`
              <ul class="met">${requests.map((request) => renderRequest(request))}</ul>
              ${total > requests.length ? html`<p><a href=${linkTo('live', { project: this.project, scenario: this.name, edit: '', view: '' })}>All ${total.toLocaleString('en')} requests</a></p>` : nothing}
            `
      }
    `;
  }
}

function renderCounts(rules: RuleCounts, isForAll: boolean): TemplateResult {
  return html`
    ${isForAll ? html`<p class="quiet">Active for all projects.</p>` : nothing}
    <ul class="rule-counts">
      ${rules.map(
        ({ rule, met, acted, left }) => html`
          <li>
            <span class="rule-name">${rule}</span>
            <span class="quiet">${met} matched</span>
            <span class="chip ${acted > 0 ? 'good' : 'quiet'}">${acted} fired</span>
            ${left === null ? nothing : html`<span class="chip ${left === 0 ? 'warn' : 'quiet'}">${left === 0 ? 'used up' : `${left} left`}</span>`}
          </li>
        `,
      )}
    </ul>
  `;
}

function renderRequest({
  id,
  at,
  operation,
  method,
  path,
  status,
  ids,
  idCount,
}: Schemas['RequestRow']): TemplateResult {
  const open = (event: Event): void => {
    event.preventDefault();
    choose({ request: id });
  };
  const more = idCount > ids.length ? ` +${idCount - ids.length}` : '';
  return html`
    <li>
      <a href=${linkTo('live', { request: id })} @click=${open}>${operation ?? `${method} ${path}`}</a>
      ${statusChip(status)}
      <span class="quiet">${at.slice(11, 19)}</span>
      <span class="quiet ids">${ids.join(', ')}${more}</span>
    </li>
  `;
}

customElements.define('scenario-activity', ScenarioActivity);
