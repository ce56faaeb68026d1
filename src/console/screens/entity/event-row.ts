/** Renders one event of an id: what happened, when, and what it changed. */
import { html, nothing, type TemplateResult } from 'lit';
import { forkProject } from '../../data/fork-project.ts';
import { linkTo, route } from '../../data/route.ts';
import { stateChip, statusChip } from '../../parts/chips.ts';
import { counted } from '../../parts/counted.ts';
import { type IconName, icon } from '../../parts/icon.ts';
import { attempt, notice } from '../../parts/notices.ts';
import { instant, span } from '../../parts/times.ts';
import { fieldChanges } from './field-changes.ts';
import type { EntityEvent } from './load.ts';

/** An event among the others. */
export interface EventRow {
  readonly event: EntityEvent;
  /** The event before it. */
  readonly previous: EntityEvent | undefined;
  /** The request before a request, or the callback before a callback. */
  readonly earlier: EntityEvent | undefined;
}

export interface EventContext {
  readonly project: string;
  /** Whether the id is one of several collections. */
  readonly isInMany: boolean;
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

export function renderEvent({ event, previous, earlier }: EventRow, context: EventContext): TemplateResult {
  const { at, kind, reason, changes = [] } = event;
  const passedMs = previous ? Date.parse(at) - Date.parse(previous.at) : 0;
  return html`
    <li class="event ${toTone(event)}">
      <span class="mark" aria-hidden="true">${icon(icons[kind])}</span>
      <div class="what">
        <div class="row">
          ${titles[kind](event, context)}
          <span class="actions">
            ${event.change === undefined ? nothing : renderFork(context.project, event.change)}
            ${earlier === undefined || kind !== 'request' ? nothing : renderCompare(context.project, earlier, event)}
          </span>
        </div>
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

const titles: Readonly<Record<EntityEvent['kind'], (event: EntityEvent, context: EventContext) => unknown>> = {
  request: ({ operation, status, requestId = '' }) =>
    html`<strong>${operation}</strong> ${renderStatus(status)} <a class="mono" href=${linkToRequest(requestId)}>${requestId}</a>`,
  callback: ({ state, callbackId }, { project }) =>
    html`<strong>Callback</strong> ${state ? stateChip(state) : nothing} ${linkToCallback(project, callbackId)}`,
  attempt: ({ status, reason, callbackId }, { project }) => {
    const isInInbox = status === undefined && reason === undefined;
    return html`<strong>Attempt</strong> ${renderStatus(status)} <span class="quiet">${isInInbox ? 'stored in the inbox' : 'of'}</span> ${linkToCallback(project, callbackId)}`;
  },
  failed: ({ operation, callbackId }, { project }) =>
    html`<strong>Failed</strong> <span class="quiet">after ${operation}</span> ${linkToCallback(project, callbackId)}`,
  rejected: ({ operation }) =>
    html`<strong>Rejected</strong> <span class="quiet">by the response of ${operation}</span>`,
  pending: ({ operation }) =>
    html`<strong>Pending</strong> <span class="quiet">${operation} is processed at this time</span>`,
  applied: (event, { isInMany }) =>
    html`<strong>${toApplied(event)}</strong> ${isInMany && event.collection ? html`<span class="chip">${event.collection}</span>` : nothing}`,
};

function renderStatus(status: number | undefined): TemplateResult | typeof nothing {
  return status === undefined ? nothing : statusChip(status);
}

function linkToCallback(project: string, callback: string | undefined): TemplateResult | typeof nothing {
  if (callback === undefined) return nothing;
  return html`<a class="mono" href=${linkTo('callbacks', { project, callback })}>${callback}</a>`;
}

/** Opens the request beside the current screen. */
function linkToRequest(request: string): string {
  const { screen, query } = route.get();
  return linkTo(screen, { ...query, request });
}

function toTone({ kind, status, reason }: EntityEvent): string {
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

function renderCompare(project: string, earlier: EntityEvent, event: EntityEvent): TemplateResult {
  const label = 'Compare with the request before';
  const link = linkTo('live', { project, request: event.requestId ?? '', compare: earlier.requestId ?? '' });
  return html`<a class="button icon" title=${label} aria-label=${label} href=${link}>${icon('git-compare')}</a>`;
}

function renderFork(project: string, change: number): TemplateResult {
  const fork = (): Promise<boolean> =>
    attempt('', async () => {
      const to = await forkProject(project, change);
      location.hash = linkTo('records', { project: to });
      notice('good', `This is ${to}, a copy of ${project} as it was after the change.`);
    });
  const label = 'Fork from here: copy the project as it was then';
  return html`<button type="button" class="icon" title=${label} aria-label=${label} @click=${fork}>${icon('git-fork')}</button>`;
}
