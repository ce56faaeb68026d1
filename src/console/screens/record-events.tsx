/** The events of one id: its requests, what they changed, and the callbacks about it. */
import { formatCount, formatSpan } from '../../lib/format.ts';
import { forkAt } from '../actions.ts';
import type { Schemas } from '../api.ts';
import { instant, type Kind, shortJson, visible } from '../format.ts';
import {
  CallbackLink,
  Icon,
  IconAction,
  IconLink,
  type IconName,
  RequestLink,
  State,
  Status,
} from '../parts/small.tsx';
import { linkTo } from '../route.ts';
import { chosenProject } from '../state.ts';

type Event = Schemas['EntityEvent'];

interface EventsProps {
  readonly entity: Schemas['Entity'];
  /** Loads more events; undefined if there are no more. */
  readonly more: (() => void) | undefined;
}

export function Events({ entity: { items, records, next }, more }: EventsProps) {
  const requests = items.filter(({ kind }) => kind === 'request');
  return (
    <section class="column" aria-label="All events">
      <div class="row">
        <h3>Events</h3>
        <span class="count">
          {items.length}
          {next !== undefined && '+'}
        </span>
      </div>
      {items.length === 0 && <p class="quiet">None.</p>}
      <ol class="events" aria-label="Events">
        {items.map((event, index) => (
          <OneEvent
            key={`${event.at} ${event.kind} ${event.requestId} ${event.callbackId} ${event.collection} ${index}`}
            event={event}
            sinceMs={Date.parse(event.at) - Date.parse(items[index + 1]?.at ?? event.at)}
            earlier={event.kind === 'request' ? requests[requests.indexOf(event) + 1] : undefined}
            isInMany={records.length > 1}
          />
        ))}
      </ol>
      {!more && next !== undefined && (
        <p class="quiet">Only the first {items.length.toLocaleString('en')} are shown.</p>
      )}
      {more && (
        <div>
          <button type="button" onClick={more}>
            Load more
          </button>
        </div>
      )}
    </section>
  );
}

interface OneEventProps {
  readonly event: Event;
  /** Since the event before. */
  readonly sinceMs: number;
  /** The request before a request. */
  readonly earlier: Event | undefined;
  /** Whether the id is one of several collections. */
  readonly isInMany: boolean;
}

/** The icon of an event, its title, and what follows. */
const words: Readonly<Record<Event['kind'], (of: Event) => readonly [icon: IconName, title: string, about?: string]>> =
  {
    request: ({ operation = '' }) => ['arrow-right', operation],
    applied: (event) => ['pencil', toApplied(event)],
    rejected: ({ operation }) => ['circle-x', 'Rejected', `by the response of ${operation}`],
    failed: ({ operation }) => ['circle-alert', 'Failed', `after ${operation}`],
    pending: ({ operation }) => ['timer', 'Pending', `${operation} is processed at this time`],
    callback: () => ['webhook', 'Callback'],
    attempt: ({ status = 0, reason }) => ['send', 'Attempt', status === 0 && !reason ? 'stored in the inbox' : 'of'],
  };

function OneEvent({ event, sinceMs, earlier, isInMany }: OneEventProps) {
  const { at, kind, status, state, reason, change, changes = [], collection, requestId = '', callbackId = '' } = event;
  const [icon, title, about] = words[kind](event);
  return (
    <li class="event">
      <span class={`mark ${kindOf(event)}`} aria-hidden="true">
        <Icon name={icon} />
      </span>
      <div class="what column">
        <div class="row">
          <strong>{title}</strong>{' '}
          {status !== undefined && (kind === 'request' || kind === 'attempt') && <Status status={status} />}
          {state && kind === 'callback' && <State state={state} />}
          <span class="quiet">{about}</span>
          {kind === 'request' && <RequestLink id={requestId} />}
          {callbackId !== '' && <CallbackLink id={callbackId} />}
          {kind === 'applied' && isInMany && collection && <span class="chip">{collection}</span>}
          {change !== undefined && (
            <IconAction
              icon="git-fork"
              label="Fork from here: copy the project as it was then"
              act={() => forkAt(chosenProject() ?? '', change, 'after the change')}
            />
          )}
          {earlier && (
            <IconLink
              icon="git-compare"
              label="Compare with the request before"
              href={linkTo('live', { request: requestId, compare: earlier.requestId ?? '' })}
            />
          )}
          <span class="push quiet small">
            <time dateTime={at}>{instant(at)}</time>
            {sinceMs > 0 && ` +${formatSpan(sinceMs)}`}
          </span>
        </div>
        {reason !== undefined && <p class={kind === 'applied' ? 'quiet' : 'bad'}>{visible(reason)}</p>}
        <Changes of={changes} />
      </div>
    </li>
  );
}

function kindOf({ kind, status = 200, reason }: Event): Kind {
  if (kind === 'rejected' || kind === 'failed') return 'bad';
  if (kind === 'attempt' && (reason !== undefined || status >= 300)) return 'bad';
  if (kind === 'applied') return 'good';
  return kind === 'pending' ? 'warn' : 'quiet';
}

function toApplied({ changes = [], operation }: Event): string {
  if (operation === 'putSnapshot') return 'Restored from a snapshot';
  if (changes.length === 0) return 'Applied, nothing changed';
  const isNew = changes.some(({ path, from }) => from === undefined && /^\/(id|username|deviceId)$/.test(path));
  return isNew ? 'Created' : formatCount(changes.length, 'changed field');
}

/** Number of fields that are shown before the others are folded. */
const shownAtOnce = 8;

function Changes({ of }: { readonly of: readonly Schemas['FieldChange'][] }) {
  if (of.length === 0) return null;
  const folded = of.slice(shownAtOnce);
  return (
    <>
      <FieldChanges of={of.slice(0, shownAtOnce)} />
      {folded.length > 0 && (
        <details class="quiet">
          <summary>{formatCount(folded.length, 'more field')}</summary>
          <FieldChanges of={folded} />
        </details>
      )}
    </>
  );
}

function FieldChanges({ of }: { readonly of: readonly Schemas['FieldChange'][] }) {
  return (
    <div class="changes mono">
      {of.map(({ path, from, to }) => (
        <>
          <span class="path" title={path}>
            {visible(path.slice(1).replaceAll('/', '.'))}
          </span>
          <span>
            {from !== undefined && <del>{shortJson(from, maxLength)}</del>}
            {from !== undefined && to !== undefined && ' → '}
            {to !== undefined && <ins>{shortJson(to, maxLength)}</ins>}
          </span>
        </>
      ))}
    </div>
  );
}

/** Maximum length of a shown value, in characters. */
const maxLength = 120;
