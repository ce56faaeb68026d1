/** The events of one id in order of time: its requests, what they changed, and the callbacks about it. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { icon } from '../../parts/icon.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { type EventRow, renderEvent } from './event-row.ts';
import './events.css';
import { type Entity, type EntityEvent, type EventOrder, loadEntity } from './load.ts';

/** `<entity-events .project=… .entityId=… .onLoad=…>` */
class EntityEvents extends PageElement {
  static override properties = {
    project: { attribute: false },
    entityId: { attribute: false },
    pages: { state: true },
  };
  declare project: string;
  declare entityId: string;
  /** Number of loaded pages. */
  declare private pages: number;
  /** Called whenever the events were loaded. */
  onLoad: (entity: Entity) => void = () => undefined;
  private readonly resource: Resource<Entity> = createResource(this, {
    key: () => JSON.stringify([this.project, this.entityId, orderOf(), this.pages]),
    load: async () => {
      const { project, entityId } = this;
      const entity = await loadEntity(project, entityId, orderOf(), this.pages);
      // Meanwhile, another id or project may be shown.
      if (project === this.project && entityId === this.entityId) this.onLoad(entity);
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
    return html`
      <div class="row">
        <h2>Events</h2>
        ${items ? html`<span class="count">${items.length}${next === undefined ? '' : '+'}</span>` : nothing}
        ${items && items.length > 1 ? renderOrder() : nothing}
      </div>
      ${errorNote(errorText)}
      ${this.latest ? this.renderEvents(this.latest) : errorText === '' ? skeleton(5) : nothing}
      ${next === undefined ? nothing : html`<div><button type="button" @click=${() => (this.pages += 1)}>Load more</button></div>`}
    `;
  }

  private renderEvents({ items, records }: Entity): TemplateResult {
    if (items.length === 0) return html`<p class="quiet">No request in the journal names this id.</p>`;
    const context = { project: this.project, isInMany: records.length > 1 };
    return html`
      <ol class="events" aria-label="Events">
        ${repeat(
          toRows(items),
          ({ event }, index) => `${toKey(event)} ${index}`,
          (row) => renderEvent(row, context),
        )}
      </ol>
    `;
  }
}

function orderOf(): EventOrder {
  return route.get().query['order'] === 'oldest' ? 'oldest' : 'newest';
}

function renderOrder(): TemplateResult {
  const isNewest = orderOf() === 'newest';
  return html`
    <button type="button" class="plain push" @click=${() => choose({ order: isNewest ? 'oldest' : '' }, true)}>
      ${icon('arrow-up-down')}${isNewest ? 'Newest first' : 'Oldest first'}
    </button>
  `;
}

function toRows(items: readonly EntityEvent[]): readonly EventRow[] {
  const isNewest = orderOf() === 'newest';
  const before = (all: readonly EntityEvent[], event: EntityEvent): EntityEvent | undefined => {
    const index = all.indexOf(event);
    return index < 0 ? undefined : all[isNewest ? index + 1 : index - 1];
  };
  const requests = items.filter(({ kind }) => kind === 'request');
  const callbacks = items.filter(({ kind }) => kind === 'callback');
  return items.map((event) => ({
    event,
    previous: before(items, event),
    earlier: before(callbacks, event) ?? before(requests, event),
  }));
}

function toKey({ at, kind, requestId, callbackId, collection }: EntityEvent): string {
  return [at, kind, requestId, callbackId, collection].join(' ');
}

customElements.define('entity-events', EntityEvents);
