/** The live screen: requests as they arrive. */
import { html, nothing, type TemplateResult } from 'lit';
import { base, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { apiUrl } from '../../data/export-request.ts';
import { isFull, keyOf, type LiveRequest, requests } from '../../data/live.ts';
import { loadPlace } from '../../data/load-place.ts';
import { createReloader, type Reloader } from '../../data/reloader.ts';
import { type RequestPlace, toCurlExample } from '../../data/request-place.ts';
import { createResource, type Resource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { statusChip } from '../../parts/chips.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { counted } from '../../parts/counted.ts';
import { empty } from '../../parts/empty.ts';
import { searchField } from '../../parts/search-field.ts';
import '../../parts/virtual-list.ts';
import './live.css';

interface Filter {
  /** Value in the URL. */
  readonly name: string;
  readonly label?: string;
  readonly matches: (request: LiveRequest) => boolean;
}

/** A batch is a success only if all of its entries succeeded. */
const filters: readonly Filter[] = [
  {
    name: 'success',
    matches: ({ status, refused, failed }) => status >= 200 && status < 300 && refused === 0 && failed === 0,
  },
  {
    name: 'refused',
    label: 'rejected',
    matches: ({ status, refused }) => (status >= 400 && status < 500) || refused > 0,
  },
  { name: 'failed', matches: ({ status, failed }) => status >= 500 || status === 0 || failed > 0 },
  { name: 'warnings', matches: ({ warnings }) => warnings > 0 },
  { name: 'scenario', matches: ({ scenarios }) => scenarios.length > 0 },
];

class LiveScreen extends PageElement {
  static override properties = { paused: { state: true }, found: { state: true } };
  /** The requests at the time of pausing, or undefined if the list is not paused. */
  declare private paused: readonly LiveRequest[] | undefined;
  /** Keys of the requests in which the sandbox found the search text. */
  declare private found: ReadonlySet<string>;
  private searchKey = '';
  private searchedItems: readonly LiveRequest[] | undefined;
  private readonly importPlace: Resource<RequestPlace | undefined> = createResource(this, {
    key: () => (requests.get().length === 0 ? 'example' : undefined),
    load: () => loadPlace('asyncImportJobs'),
  });
  private readonly search: Reloader = createReloader(() => this.find());

  constructor() {
    super();
    this.found = new Set();
    watch(this, route, requests);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.search.end();
  }

  protected override willUpdate(): void {
    const { q = '', project = '' } = route.get().query;
    const items = requests.get();
    const searchKey = `${project}/${q}`;
    if (searchKey !== this.searchKey) this.found = new Set();
    else if (q === '' || items === this.searchedItems) return;
    this.searchKey = searchKey;
    this.searchedItems = items;
    if (q !== '') this.search.soon();
  }

  /** The page does not load bodies, so the sandbox searches them. */
  private async find(): Promise<void> {
    const { q = '', project = '' } = route.get().query;
    const path = `${project === '' ? '' : projectPath(project)}/requests`;
    const query = `bodies=false&limit=1000&contains=${encodeURIComponent(q.slice(0, 200))}`;
    const page = await callApi<Schemas['RequestPage']>('GET', `${path}?${query}`).catch(() => undefined);
    if (page && this.searchKey === `${project}/${q}`) this.found = new Set(page.items.map(keyOf));
  }

  protected override render(): TemplateResult {
    const all = this.paused ?? requests.get();
    const { project = '', q = '', show = '' } = route.get().query;
    const chosen = new Set(show.split(' ').filter((name) => name !== ''));
    const search = q.toLowerCase();
    const matching = all
      .filter(
        (request) =>
          (project === '' || request.project === project) &&
          (search === '' || textOf(request).includes(search) || this.found.has(keyOf(request))) &&
          filters.every(({ name, matches }) => !chosen.has(name) || matches(request)),
      )
      .toReversed();
    return html`
      <div class="row">
        <h1>Live</h1>
        <span class="quiet" role="status">${this.renderCount(matching.length, all.length)}</span>
        ${project === '' ? nothing : html`<a class="push" href=${`${base}${projectPath(project)}/requests?format=har`} download=${`${project}.har`}>Download HAR</a>`}
        <button class=${project === '' ? 'push' : ''} aria-pressed=${this.paused !== undefined} @click=${this.pause}>${this.paused ? 'Resume' : 'Pause'}</button>
      </div>
      <div class="row">
        ${searchField('Search requests', 'Operation, path, status, id, scenario or body text')}
        ${filters.map(
          ({ name, label = name }) =>
            html`<button aria-pressed=${chosen.has(name)} @click=${() => toggle(chosen, name)}>${label}</button>`,
        )}
      </div>
      ${all.length === 0 ? renderEmpty(this.importPlace.value) : matching.length === 0 ? noMatch(project) : nothing}
      <virtual-list label="Requests" ?hidden=${matching.length === 0} .items=${matching} .keyOf=${keyOf} .row=${renderRow}></virtual-list>
    `;
  }

  private renderCount(matching: number, all: number): string {
    const newer = this.paused ? requests.get().length - this.paused.length : 0;
    const pausedText = this.paused ? `; paused, ${newer} new` : '';
    return `${matching} of ${isFull() ? 'the latest ' : ''}${all} requests${pausedText}`;
  }

  private pause(): void {
    this.paused = this.paused ? undefined : requests.get();
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
  const { id, at, project, operation, method, path, status, durationMs, refused, failed, warnings, scenarios } =
    request;
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
        ${refused > 0 ? html`<span class="chip bad">${refused} rejected</span>` : nothing}
        ${failed > 0 ? html`<span class="chip bad">${failed} failed later</span>` : nothing}
        ${warnings > 0 ? html`<span class="chip warn">${counted(warnings, 'warning')}</span>` : nothing}
        ${scenarios.map((name) => html`<span class="chip quiet">${name}</span>`)}
      </span>
    </a>
  `;
}

function noMatch(project: string): TemplateResult {
  const all = () => choose({ q: '', show: '', project: '' });
  return empty(
    `No matches${project === '' ? '' : ` in project ${project}`}`,
    html`<button @click=${all}>Clear filters</button>`,
  );
}

function renderEmpty(place: RequestPlace | undefined): TemplateResult {
  const example = place
    ? toCurlExample(apiUrl, place, 'demo', { jobs: [{ id: 'J-1' }, { id: 'FAIL-GEOCODE-2' }] })
    : '';
  return empty(
    'No requests yet',
    html`<div class="column">
      <p>Paste this command into a terminal, or send a request from the <a href=${linkTo('reference')}>API reference</a>.</p>
      <pre tabindex="0">${example}</pre>
      <div>${copyButton('Copy', () => example)}</div>
      <p>Then <a href=${linkTo('connect')}>connect your client</a>.</p>
    </div>`,
  );
}

customElements.define('live-screen', LiveScreen);
