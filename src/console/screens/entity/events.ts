/** The events of one id in order of time: its requests, what they changed, and the callbacks about it. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { forkProject } from '../../data/fork-project.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { stateChip, statusChip } from '../../parts/chips.ts';
import { counted } from '../../parts/counted.ts';
import { type Entity, type EntityEvent, type EventOrder, loadEntity } from './load.ts';
import './events.css';
import { type IconName, icon } from '../../parts/icon.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { attempt, errorNote, notice } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { instant, span } from '../../parts/times.ts';
import { fieldChanges } from './field-changes.ts';

/** `<entity-events .project=… .entityId=… .onLoad=…>` */
class EntityEvents extends PageElement {
  static override properties = {
    project: { attribute: false },
    entityId: { attribute: false },
    pages: { state: true },
  };
  declare project: string;
  declare entityId: string;
  declare private pages: number;
  /** Called whenever the events were loaded. */
  onLoad: (entity: Entity) => void = () => undefined;
  private readonly resource: Resource<Entity> = createResource(this, {
    key: () => JSON.stringify([this.project, this.entityId, orderOf(), this.pages]),
    load: async () => {
      const entity = await loadEntity(this.project, this.entityId, orderOf(), this.pages);
      this.onLoad(entity);
      return entity;
    },
    reloadOn: (event) => isOf(event, this.project),
  });
  /** The latest events, while more are loaded. */
  private latest: Entity | undefined;

  constructor() {
    super();
    this.pages = 1;
    watch(this, route);
    keepFocus(this);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('project') && !changed.has('entityId')) return;
    this.pages = 1;
    this.latest = undefined;
  }

  protected override render(): TemplateResult {
    const { value, errorText } = this.resource;
    this.latest = value ?? this.latest;
    const { items, next } = this.latest ?? {};
    const order = orderOf();
    return html`
      <div class="row">
        <h2>Events</h2>
        ${items ? html`<span class="count">${items.length}${next === undefined ? '' : '+'}</span>` : nothing}
        ${
          items && items.length > 1
            ? html`<button type="button" class="plain push" @click=${() => choose({ order: order === 'newest' ? 'oldest' : '' }, true)}>
                ${icon('arrow-up-down')}${order === 'newest' ? 'Newest first' : 'Oldest first'}
              </button>`
            : nothing
        }
      </div>
      ${errorNote(errorText)}
      ${items ? this.renderEvents(items, order) : errorText === '' ? skeleton(5) : nothing}
      ${next === undefined ? nothing : html`<div><button type="button" @click=${() => (this.pages += 1)}>Load more</button></div>`}
    `;
  }

  private renderEvents(items: readonly EntityEvent[], order: EventOrder): TemplateResult {
    if (items.length === 0) return html`<p class="quiet">No request in the journal names this id.</p>`;
    const before = (index: number): EntityEvent | undefined => items[order === 'newest' ? index + 1 : index - 1];
    const requests = items.filter(({ kind }) => kind === 'request');
    if (order === 'newest') requests.reverse();
    const earlier = (event: EntityEvent): string | undefined => requests[requests.indexOf(event) - 1]?.requestId;
    return html`
      <ol class="events">
        ${repeat(
          items.map((event, index) => ({ event, previous: before(index), compared: earlier(event) })),
          ({ event }, index) => `${toKey(event)} ${index}`,
          ({ event, previous, compared }) => this.renderEvent(event, previous, compared),
        )}
      </ol>
    `;
  }

  /** `compared`: the request before this one. */
  private renderEvent(
    event: EntityEvent,
    previous: EntityEvent | undefined,
    compared: string | undefined,
  ): TemplateResult {
    const { at, kind, reason, changes = [] } = event;
    const passedMs = previous ? Date.parse(at) - Date.parse(previous.at) : 0;
    return html`
      <li class="event ${toneOf(event)}">
        <span class="mark" aria-hidden="true">${icon(icons[kind])}</span>
        <div class="what">
          <div class="row">${this.renderTitle(event)}${compared === undefined ? nothing : this.renderCompare(compared, event)}</div>
          ${reason === undefined ? nothing : html`<p class=${kind === 'applied' ? 'quiet' : 'bad'}>${reason}</p>`}
          ${fieldChanges(changes)}
        </div>
        <span class="when">
          <time datetime=${at}>${instant(at)}</time>
          ${passedMs > 0 ? html`<span class="quiet">+${span(passedMs)}</span>` : nothing}
        </span>
      </li>
    `;
  }

  private renderTitle(event: EntityEvent): TemplateResult {
    const { kind, operation, status, requestId = '', callbackId = '', state, change } = event;
    const request =
      requestId === '' ? nothing : html`<a class="mono" href=${this.linkToRequest(requestId)}>${requestId}</a>`;
    const callback = html`<a class="mono" href=${linkTo('callbacks', { project: this.project, callback: callbackId })}>${callbackId}</a>`;
    switch (kind) {
      case 'request':
        return html`<strong>${operation}</strong>${status === undefined ? nothing : statusChip(status)}${request}${this.renderFork(change)}`;
      case 'callback':
        return html`<strong>Callback</strong>${state ? stateChip(state) : nothing}${callback}${this.renderFork(change)}`;
      case 'attempt':
        return html`<strong>Attempt</strong>${status === undefined ? nothing : statusChip(status)}<span class="quiet">${status === undefined && event.reason === undefined ? 'stored in the inbox' : 'of'}</span>${callback}`;
      case 'failed':
        return html`<strong>Failed</strong><span class="quiet">after ${operation}</span>${callbackId === '' ? nothing : callback}`;
      case 'rejected':
        return html`<strong>Rejected</strong><span class="quiet">by the response of ${operation}</span>`;
      case 'pending':
        return html`<strong>Pending</strong><span class="quiet">${operation} is processed at this time</span>`;
      case 'applied':
        return html`<strong>${toApplied(event)}</strong>${this.isInMany() && event.collection ? html`<span class="chip">${event.collection}</span>` : nothing}`;
      default:
        return html`${kind satisfies never}`;
    }
  }

  /** Whether the id is one of several collections. */
  private isInMany(): boolean {
    return (this.latest?.records.length ?? 0) > 1;
  }

  private renderCompare(a: string, { requestId: b = '' }: EntityEvent): TemplateResult {
    const label = 'Compare with the request before';
    const link = linkTo('compare', { project: this.project, what: 'requests', a, b });
    return html`<a class="button icon" title=${label} aria-label=${label} href=${link}>${icon('git-compare')}</a>`;
  }

  private renderFork(change: number | undefined): TemplateResult | typeof nothing {
    if (change === undefined) return nothing;
    const fork = (): Promise<boolean> =>
      attempt('', async () => {
        const to = await forkProject(this.project, change);
        location.hash = linkTo('records', { project: to });
        notice('good', `This is ${to}, a copy of ${this.project} as it was after the change.`);
      });
    const label = 'Fork from here: copy the project as it was then';
    return html`<button type="button" class="icon" title=${label} aria-label=${label} @click=${fork}>${icon('git-fork')}</button>`;
  }

  /** Opens the request beside the current screen. */
  private linkToRequest(request: string): string {
    const { screen, query } = route.get();
    return linkTo(screen, { ...query, request });
  }
}

const icons: Readonly<Record<EntityEvent['kind'], IconName>> = {
  request: 'arrow-right',
  applied: 'pencil',
  rejected: 'circle-x',
  failed: 'circle-alert',
  pending: 'timer',
  callback: 'webhook',
  attempt: 'send',
};

function orderOf(): EventOrder {
  return route.get().query['order'] === 'oldest' ? 'oldest' : 'newest';
}

function toneOf({ kind, status, reason }: EntityEvent): string {
  if (kind === 'rejected' || kind === 'failed') return 'bad';
  if (kind === 'attempt' && (reason !== undefined || (status ?? 200) >= 300)) return 'bad';
  if (kind === 'applied') return 'good';
  return kind === 'pending' ? 'warn' : '';
}

function toApplied({ changes = [], operation }: EntityEvent): string {
  if (operation === 'putSnapshot') return 'Restored from a snapshot';
  if (changes.length === 0) return 'Applied, nothing changed';
  const isNew = changes.some(({ path, from }) => from === undefined && /^\/(id|username|deviceId)$/.test(path));
  return isNew ? 'Created' : counted(changes.length, 'changed field');
}

function toKey({ at, kind, requestId, callbackId, collection }: EntityEvent): string {
  return [at, kind, requestId, callbackId, collection].join(' ');
}

customElements.define('entity-events', EntityEvents);
