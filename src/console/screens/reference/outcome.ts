/** Shows the outcome of the last tried request, including what happens after its response. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ApiError, callApi, listAll, projectPath, type Schemas } from '../../data/client.ts';
import { readClock } from '../../data/project-clock.ts';
import { followProject } from '../../data/project-feed.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { type Callback, messageOf } from '../callbacks/labels.ts';
import { failuresOf, outcomeOf } from './outcome-text.ts';

/** A request that the user tried. */
export type TriedRequest =
  | { readonly is: 'sent' }
  | { readonly is: 'broken' }
  | { readonly is: 'answered'; readonly status: number; readonly text: string; readonly requestId: string };

/** The data of the request from the control API. */
interface LoadedOutcome {
  readonly request: Schemas['RequestSummary'];
  /** Number of entries that are still pending. */
  readonly pendingEntries: number;
  /** Whether the clock is frozen. */
  readonly isFrozen: boolean;
  readonly callbacks: readonly Callback[];
}

/** Maximum number of callbacks whose failures are shown. */
const maxCallbacks = 5;

class ReferenceOutcome extends PageElement {
  static override properties = { tried: { attribute: false }, loaded: { state: true } };
  declare tried: TriedRequest;
  /** `gone`: the journal does not contain the request anymore. */
  declare private loaded: LoadedOutcome | 'gone' | undefined;
  private readonly reloader = followProject(
    this,
    (soon) => ({
      callback: ({ requestId }) => requestId === this.requestId && soon(),
      change: ({ project, what }) => this.mayChange(project, what) && soon(),
    }),
    () => this.load(),
  );

  constructor() {
    super();
    watch(this, route);
  }

  private get requestId(): string | undefined {
    return this.tried.is === 'answered' ? this.tried.requestId : undefined;
  }

  /** Whether an event may change the outcome. Once no entry is pending, only a reset can. */
  private mayChange(project: string | null, what: string): boolean {
    const { loaded } = this;
    if (loaded === 'gone') return false;
    if (loaded === undefined) return true;
    if (project !== null && project !== loaded.request.project) return false;
    return what === 'reset' || (loaded.pendingEntries > 0 && ['records', 'clock'].includes(what));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('tried')) return;
    this.loaded = undefined;
    if (this.requestId !== undefined) this.reloader.now();
  }

  private async load(): Promise<void> {
    const { requestId } = this;
    if (requestId === undefined) return;
    const loaded = await loadOutcome(requestId).catch((error) =>
      error instanceof ApiError && error.status === 404 ? 'gone' : undefined,
    );
    if (requestId === this.requestId) this.loaded = loaded;
  }

  protected override render(): TemplateResult {
    const { tried } = this;
    if (tried.is === 'sent') return html`Waiting for the response.`;
    if (tried.is === 'broken') {
      return html`No response. See <a href=${linkTo('live')}>Live</a> for whether the request arrived.`;
    }
    const request = linkTo('reference', { ...route.get().query, request: tried.requestId });
    const { loaded } = this;
    return html`<strong>${outcomeOf(tried.status, tried.text)}</strong>${
      loaded === 'gone'
        ? html` · the request is no longer in the journal`
        : html` · <a href=${request}>view request</a>${loaded ? renderLoaded(loaded) : nothing}`
    }`;
  }
}

function renderLoaded({ request, pendingEntries, isFrozen, callbacks }: LoadedOutcome): TemplateResult {
  const project = request.project ?? '';
  const [record, ...more] = request.changed ?? [];
  return html`${
    record === undefined
      ? nothing
      : html` · stored: <a href=${linkTo('records', { project, collection: record.collection, record: record.id })}>${record.collection} ${record.id}</a>${more.length > 0 ? ` and ${more.length} more` : nothing}`
  }${
    pendingEntries === 0
      ? nothing
      : html` · ${pendingEntries} pending${isFrozen ? html`: the clock is frozen, <a href=${linkTo('clock', { project })}>advance it</a>` : nothing}`
  }${renderFailures(project, callbacks)}`;
}

function renderFailures(project: string, callbacks: readonly Callback[]): TemplateResult | typeof nothing {
  const failed = callbacks.flatMap((callback) => messageOf(callback).failed);
  if (failed.length === 0) return nothing;
  const links = callbacks.map(
    ({ id }, index) =>
      html`<a href=${linkTo('callbacks', { project, callback: id })}>callback${callbacks.length > 1 ? ` ${index + 1}` : nothing}</a> `,
  );
  return html` · <strong>${failed.length} failed later: ${failuresOf(failed)}</strong> · ${links}`;
}

async function loadOutcome(requestId: string): Promise<LoadedOutcome> {
  const load = () => callApi<Schemas['RequestSummary']>('GET', `/requests/${encodeURIComponent(requestId)}`);
  const { project } = await load();
  // Loads the pending entries before their results: if they are applied in between, an event causes another load.
  const pending = project === null ? nothingPending : await readPending(project, requestId);
  const request = await load();
  const ids = request.callbacks.slice(0, maxCallbacks);
  const path = projectPath(project ?? '', '/callbacks');
  const callbacks = await Promise.all(ids.map((id) => callApi<Callback>('GET', `${path}/${encodeURIComponent(id)}`)));
  return { request, callbacks, ...pending };
}

const nothingPending = { pendingEntries: 0, isFrozen: false };

async function readPending(
  project: string,
  requestId: string,
): Promise<Pick<LoadedOutcome, 'pendingEntries' | 'isFrozen'>> {
  const [items, { clock }] = await Promise.all([
    listAll<Schemas['PendingThing']>(projectPath(project, '/pending'), 1000),
    readClock(project),
  ]);
  const ownCommands = items.filter((one) => one.kind === 'instruction' && one.requestId === requestId);
  const pendingEntries = ownCommands.reduce((sum, { entries = 0 }) => sum + entries, 0);
  return { pendingEntries, isFrozen: clock.mode === 'frozen' };
}

customElements.define('reference-outcome', ReferenceOutcome);
