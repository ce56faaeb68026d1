/** Requests as they come. */
import { html, nothing, type TemplateResult } from 'lit';
import { keyOf, type LiveRequest, requests } from '../data/live.ts';
import { apiUrl } from '../data/message.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { copyButton } from '../parts/copy-button.ts';
import { empty } from '../parts/empty.ts';
import { statusChip } from '../parts/status.ts';
import '../parts/virtual-list.ts';
import './live.css';

interface Filter {
  readonly name: string;
  readonly fits: (request: LiveRequest) => boolean;
}

const filters: readonly Filter[] = [
  { name: 'success', fits: ({ status }) => status >= 200 && status < 300 },
  { name: 'refused', fits: ({ status }) => status >= 400 && status < 500 },
  { name: 'failed', fits: ({ status }) => status >= 500 || status === 0 },
  { name: 'warnings', fits: ({ warnings }) => warnings > 0 },
  { name: 'scenario', fits: ({ scenarios }) => scenarios.length > 0 },
];

class LiveScreen extends PageElement {
  static override properties = { paused: { state: true } };
  /** What was there when it was paused; undefined while it runs. */
  declare private paused: readonly LiveRequest[] | undefined;

  constructor() {
    super();
    watch(this, route, requests);
  }

  protected override render(): TemplateResult {
    const all = this.paused ?? requests.get().items;
    const { project = '', q = '', show = '' } = route.get().query;
    const chosen = new Set(show.split(' ').filter((name) => name !== ''));
    const search = q.toLowerCase();
    const fitting = all
      .filter(
        (request) =>
          (project === '' || request.project === project) &&
          (search === '' || textOf(request).includes(search)) &&
          filters.every(({ name, fits }) => !chosen.has(name) || fits(request)),
      )
      .toReversed();
    return html`
      <div class="row">
        <h1>Live</h1>
        <span class="quiet" role="status">${fitting.length} of ${all.length} requests</span>
        <button class="push" aria-pressed=${this.paused !== undefined} @click=${this.pause}>${this.paused ? 'Resume' : 'Pause'}</button>
      </div>
      <div class="row">
        <input class="grow" type="search" aria-label="Search requests" placeholder="operation, path, status, id, scenario"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value }, true)} />
        ${filters.map(
          ({ name }) =>
            html`<button aria-pressed=${chosen.has(name)} @click=${() => toggle(chosen, name)}>${name}</button>`,
        )}
      </div>
      ${all.length === 0 ? nothingYet() : nothing}
      <virtual-list label="Requests" ?hidden=${all.length === 0} .items=${fitting} .keyOf=${keyOf} .row=${renderRow}></virtual-list>
    `;
  }

  private pause(): void {
    this.paused = this.paused ? undefined : requests.get().items;
  }
}

function toggle(chosen: Set<string>, name: string): void {
  if (!chosen.delete(name)) chosen.add(name);
  choose({ show: [...chosen].join(' ') });
}

function textOf({ operation, method, path, status, id, project, scenarios }: LiveRequest): string {
  return `${operation ?? ''} ${method} ${path} ${status} ${id} ${project ?? ''} ${scenarios.join(' ')}`.toLowerCase();
}

function renderRow(item: unknown): TemplateResult {
  const request = item as LiveRequest;
  const { id, at, project, operation, method, path, status, durationMs, warnings, scenarios } = request;
  const { screen, query } = route.get();
  return html`
    <a class="request ${query['request'] === id ? 'chosen' : ''}" href=${linkTo(screen, { ...query, request: id })}>
      <span class="mono quiet time">${at.slice(11, 23)}</span>
      <span class="mono">${method}</span>
      <span class="what">${operation ?? path}</span>
      ${statusChip(status)}
      <span class="quiet took">${durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms</span>
      <span class="quiet where">${project ?? 'no project'}</span>
      <span class="marks">
        ${warnings > 0 ? html`<span class="chip warn">${warnings} ${warnings === 1 ? 'warning' : 'warnings'}</span>` : nothing}
        ${scenarios.map((name) => html`<span class="chip quiet">${name}</span>`)}
      </span>
    </a>
  `;
}

function nothingYet(): TemplateResult {
  const example = `curl -i ${apiUrl}/async/projects/demo/jobs -H 'apikey: sandbox-key' -H 'content-type: application/json' -d '{"jobs":[{"id":"J-1"},{"id":"FAIL-GEOCODE-2"}]}'`;
  return empty(
    'No request so far',
    html`<div class="column">
      <p>Send one: paste this into a terminal, or try one in the <a href=${linkTo('reference')}>API reference</a>.</p>
      <pre tabindex="0">${example}</pre>
      <div>${copyButton('Copy', () => example)}</div>
      <p>How to point your client here: <a href=${linkTo('connect')}>Connect</a>.</p>
    </div>`,
  );
}

customElements.define('live-screen', LiveScreen);
