/** What came of the request that was tried last, also of what happens after its answer. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ask, askAll, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { askClock } from '../data/project-clock.ts';
import { followProject } from '../data/project-feed.ts';
import { linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { type Callback, messageOf } from './callbacks-words.ts';
import { failuresOf, outcomeOf } from './reference-words.ts';

/** A request that was tried. */
export type Tried =
  | { readonly is: 'sent' }
  | { readonly is: 'broken' }
  | { readonly is: 'answered'; readonly status: number; readonly text: string; readonly requestId: string };

/** What the sandbox knows of it. */
interface Known {
  readonly request: Schemas['RequestSummary'];
  /** How many of its entries are still to be carried out. */
  readonly waiting: number;
  /** Whether they wait for a clock that stands. */
  readonly isFrozen: boolean;
  readonly callbacks: readonly Callback[];
}

/** Failures of more callbacks are not told here. */
const mostCallbacks = 5;

class ReferenceOutcome extends PageElement {
  static override properties = { tried: { attribute: false }, known: { state: true } };
  declare tried: Tried;
  /** `gone`: the journal has it no more. */
  declare private known: Known | 'gone' | undefined;
  private readonly fresh = followProject(
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

  /** Once all was carried out, only a reset takes something away. */
  private mayChange(project: string | null, what: string): boolean {
    const { known } = this;
    if (known === 'gone') return false;
    if (known === undefined) return true;
    if (project !== null && project !== known.request.project) return false;
    return what === 'reset' || (known.waiting > 0 && ['records', 'clock'].includes(what));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('tried')) return;
    this.known = undefined;
    if (this.requestId !== undefined) this.fresh.now();
  }

  private async load(): Promise<void> {
    const { requestId } = this;
    if (requestId === undefined) return;
    const known = await look(requestId).catch((error) =>
      error instanceof Refusal && error.status === 404 ? 'gone' : undefined,
    );
    if (requestId === this.requestId) this.known = known;
  }

  protected override render(): TemplateResult {
    const { tried } = this;
    if (tried.is === 'sent') return html`Sent, and not answered yet.`;
    if (tried.is === 'broken') {
      return html`No answer came: <a href=${linkTo('live')}>Live</a> tells whether the request did.`;
    }
    const request = linkTo('reference', { ...route.get().query, request: tried.requestId });
    const { known } = this;
    return html`<strong>${outcomeOf(tried.status, tried.text)}</strong>${
      known === 'gone'
        ? html` · the journal has the request no more`
        : html` · <a href=${request}>see the request in the journal</a>${known ? renderKnown(known) : nothing}`
    }`;
  }
}

function renderKnown({ request, waiting, isFrozen, callbacks }: Known): TemplateResult {
  const project = request.project ?? '';
  const [record, ...more] = request.changed ?? [];
  return html`${
    record === undefined
      ? nothing
      : html` · stored: <a href=${linkTo('records', { project, collection: record.collection, record: record.id })}>${record.collection} ${record.id}</a>${more.length > 0 ? ` and ${more.length} more` : nothing}`
  }${
    waiting === 0
      ? nothing
      : html` · ${waiting} still to be carried out${isFrozen ? html`: the clock stands, <a href=${linkTo('clock', { project })}>advance it</a>` : nothing}`
  }${later(project, callbacks)}`;
}

function later(project: string, callbacks: readonly Callback[]): TemplateResult | typeof nothing {
  const failed = callbacks.flatMap((callback) => messageOf(callback).failed);
  if (failed.length === 0) return nothing;
  const links = callbacks.map(
    ({ id }, index) =>
      html`<a href=${linkTo('callbacks', { project, callback: id })}>callback${callbacks.length > 1 ? ` ${index + 1}` : nothing}</a> `,
  );
  return html` · <strong>${failed.length} failed later: ${failuresOf(failed)}</strong> · ${links}`;
}

async function look(requestId: string): Promise<Known> {
  const load = () => ask<Schemas['RequestSummary']>('GET', `/requests/${encodeURIComponent(requestId)}`);
  const { project } = await load();
  // What waits is asked for before what came of it: carried out in between, it is told anew by the event of that.
  const wait = project === null ? nobodyWaits : await lookAtClock(project, requestId);
  const request = await load();
  const ids = request.callbacks.slice(0, mostCallbacks);
  const path = ofProject(project ?? '', '/callbacks');
  const callbacks = await Promise.all(ids.map((id) => ask<Callback>('GET', `${path}/${encodeURIComponent(id)}`)));
  return { request, callbacks, ...wait };
}

const nobodyWaits = { waiting: 0, isFrozen: false };

async function lookAtClock(project: string, requestId: string): Promise<Pick<Known, 'waiting' | 'isFrozen'>> {
  const [pending, { clock }] = await Promise.all([
    askAll<Schemas['PendingThing']>(ofProject(project, '/pending'), 1000),
    askClock(project),
  ]);
  const own = pending.filter((one) => one.kind === 'instruction' && one.requestId === requestId);
  const waiting = own.reduce((sum, { entries = 0 }) => sum + entries, 0);
  return { waiting, isFrozen: clock.mode === 'frozen' };
}

customElements.define('reference-outcome', ReferenceOutcome);
