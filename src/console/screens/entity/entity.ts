/** The page of one id: everything that happened to a job, order, route, user or device, and its current record. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath } from '../../data/client.ts';
import { changesRecords, createResource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { copyLink } from '../../frame/copy-link.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { copyButton, copyText } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';
import type { Entity } from './load.ts';
import { renderMissing } from './missing.ts';
import './events.ts';
import { icon } from '../../parts/icon.ts';
import { jsonView } from '../../parts/json-view.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { collectionOf, type StoredRecord } from '../records/collections.ts';
import './entity.css';

type CollectionName = Entity['records'][number]['collection'];

interface Shown {
  readonly collection: CollectionName;
  readonly record: StoredRecord;
}

class EntityScreen extends PageElement {
  static override properties = { entity: { state: true } };
  declare private entity: Entity | undefined;
  /** The project and the id of the entity. */
  private shown = '';
  private readonly resource = createResource<readonly Shown[]>(this, {
    key: () => this.presentKey(),
    load: () => Promise.all(this.present().map((collection) => loadRecord(collection))),
    reloadOn: (event) => changesRecords(event, chosenProject()),
  });

  constructor() {
    super();
    watch(this, route);
  }

  protected override willUpdate(): void {
    const shown = JSON.stringify([chosenProject(), entityId()]);
    if (shown !== this.shown) this.entity = undefined;
    this.shown = shown;
  }

  private present(): readonly CollectionName[] {
    const records = this.entity?.records ?? [];
    return records.filter(({ isPresent }) => isPresent).map(({ collection }) => collection);
  }

  private presentKey(): string | undefined {
    const present = this.present();
    return present.length === 0 ? undefined : [chosenProject(), entityId(), ...present].join(' ');
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const id = entityId();
    if (project === undefined) return html`<h1>Events of an id</h1>${chooseProject('events')}`;
    if (id === '') return html`<h1>Events of an id</h1>${empty('Which id?', askId())}`;
    return html`
      ${this.renderHead(project, id)}
      <div class="sides ${this.present().length > 0 ? 'two' : ''}">
        <entity-events .project=${project} .entityId=${id} .onLoad=${(entity: Entity) => (this.entity = entity)}></entity-events>
        <div class="column">${this.renderRecords(project, id)}</div>
      </div>
    `;
  }

  private renderRecords(project: string, id: string): unknown {
    const { value, errorText } = this.resource;
    if (this.present().length === 0) return nothing;
    if (!value) return errorText === '' ? skeleton(8) : errorNote(errorText);
    return html`${errorNote(errorText)}${value.map((shown) => renderRecord(project, id, shown))}`;
  }

  private renderHead(project: string, id: string): TemplateResult {
    const { entity } = this;
    const kinds = entity?.records.map(({ collection }) => collectionOf(collection).noun) ?? [];
    return html`
      <div class="row">
        <h1 tabindex="-1"><span class="quiet kind">${kinds.length === 0 ? 'Id' : kinds.join(', ')}</span> <span class="mono">${id}</span></h1>
        ${this.renderState()}
        <button type="button" class="icon" aria-label="Copy the id" title="Copy the id" @click=${() => copyText(id)}>${icon('copy')}</button>
        <button type="button" class="compact push" title="Copy link" @click=${copyLink}>${icon('link')}Copy link</button>
      </div>
      ${this.present().length > 0 || !entity ? nothing : renderMissing(entity, project)}
    `;
  }

  private renderState(): TemplateResult | typeof nothing {
    if (!this.entity) return nothing;
    const statuses = (this.resource.value ?? []).map(({ record }) => record['status']);
    if (this.present().length === 0) return html`<span class="chip bad">no record</span>`;
    return html`${statuses.map((status) => (typeof status === 'string' ? html`<span class="chip info">${status}</span>` : html`<span class="chip good">stored</span>`))}`;
  }
}

function entityId(): string {
  return route.get().query['id'] ?? '';
}

async function loadRecord(collection: CollectionName): Promise<Shown> {
  const path = `/${collection}/${encodeURIComponent(entityId())}`;
  const query = collection === 'locations' ? '?limit=1' : '';
  const found = await callApi<StoredRecord>('GET', projectPath(chosenProject() ?? '', `${path}${query}`));
  const { items: _trail, next: _more, ...record } = found;
  return { collection, record };
}

function askId(): TemplateResult {
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    choose({ id: String(new FormData(event.target as HTMLFormElement).get('id')).trim() });
  };
  return html`
    <form class="row" @submit=${open}>
      <label>Id <input name="id" required pattern=".*\\S.*" autocomplete="off" spellcheck="false" placeholder="JOB-1" /></label>
      <button class="main">Show events</button>
    </form>
  `;
}

function renderRecord(project: string, id: string, { collection, record }: Shown): TemplateResult {
  const text = JSON.stringify(record, null, 2);
  return html`
    <section class="column" aria-label="Current record">
      <div class="row">
        <h2>Current ${collectionOf(collection).noun}</h2>
        <span class="row push">
          ${copyButton('Copy JSON', () => text)}
          <a class="button" href=${linkTo('records', { project, collection, record: id })}>${icon('database')}Open in Records</a>
        </span>
      </div>
      ${jsonView(text)}
    </section>
  `;
}

customElements.define('entity-screen', EntityScreen);
