/** All about one id: its records, or why it has none, what belongs to it, and everything that happened to it. */
import { useState } from 'preact/hooks';
import type { Schemas } from '../api.ts';
import { instant, recordTime, shortId, toUtc, visible } from '../format.ts';
import { Detail } from '../parts/detail.tsx';
import { Json } from '../parts/json.tsx';
import { Facts, IconAction, IconLink, RequestLink, Section, Status, Tabs } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { linkTo, route } from '../route.ts';
import { chosenProject, copyText } from '../state.ts';
import { useApi, useProjectApi } from '../use-api.ts';
import { Events } from './record-events.tsx';

type Entity = Schemas['Entity'];
type Found = Schemas['FoundRecord'];
export type CollectionName = Schemas['RecordCollection'];

interface Collection {
  readonly title: string;
  readonly noun: string;
  readonly hasStatus: boolean;
  /** The operation that creates such a record. */
  readonly createdBy: string;
}

export const collections: Readonly<Record<CollectionName, Collection>> = {
  jobs: { title: 'Jobs', noun: 'job', hasStatus: true, createdBy: 'syncCreateJobs' },
  orders: { title: 'Orders', noun: 'order', hasStatus: true, createdBy: 'syncImportOrders' },
  routes: { title: 'Routes', noun: 'route', hasStatus: false, createdBy: 'syncCreateRoutes' },
  users: { title: 'Users', noun: 'user', hasStatus: false, createdBy: 'registerUser' },
  locations: { title: 'Devices', noun: 'device', hasStatus: false, createdBy: 'submitLocation' },
};

const tabs = { '': 'Overview', fields: 'All fields' };

/** Number of events that are loaded at first, and at most. */
const pageSize = 100;
const maxEvents = 1000;

interface RecordDetailProps {
  readonly id: string;
  /** The collection in which the id was opened: its record comes first. */
  readonly collection?: CollectionName;
  readonly close: () => void;
}

export function RecordDetail({ id, collection, close }: RecordDetailProps) {
  const [limit, setLimit] = useState(pageSize);
  const { detail = '' } = route.value.query;
  const path = `/entities/${encodeURIComponent(id)}?view=record&order=newest&limit=${limit}`;
  const loaded = useProjectApi<Entity>(path, `${chosenProject()} ${id}`);
  const { value } = loaded;
  const found = value?.found?.toSorted(
    (one, other) => Number(other.collection === collection) - Number(one.collection === collection),
  );
  const isFound = found !== undefined && found.length > 0;
  const nouns = value?.records.map((one) => collections[one.collection].noun).join(', ') || 'Id';
  return (
    <Detail
      title={
        <>
          <span class="quiet">{nouns}</span>{' '}
          <span class="mono" title={id}>
            {shortId(id)}
          </span>
        </>
      }
      chip={found && <State found={found} />}
      actions={<Actions id={id} found={found ?? []} />}
      close={close}
      of={loaded}
    >
      {loaded.errorText !== '' && <a href={linkTo('live', { entity: id })}>Requests that name it</a>}
      {isFound && <Tabs label="Parts of the record" parameter="detail" tabs={tabs} isDetail />}
      {isFound && detail === 'fields'
        ? found.map(({ collection: of, record }) => <Json key={of} text={JSON.stringify(record)} />)
        : value && (
            <>
              {found?.map((one) => (
                <Overview key={one.collection} found={one} isOnly={found.length === 1} />
              ))}
              {!isFound && <Missing entity={value} />}
              <Events
                entity={value}
                more={value.next !== undefined && limit < maxEvents ? () => setLimit(maxEvents) : undefined}
              />
            </>
          )}
    </Detail>
  );
}

function State({ found }: { readonly found: readonly Found[] }) {
  const statuses = found.flatMap(({ cells: { status } }) => status ?? []);
  if (found.length === 0) return <span class="chip bad">no record</span>;
  if (statuses.length === 0) return <span class="chip good">stored</span>;
  return (
    <>
      {statuses.map((status) => (
        <span key={status} class="chip info">
          {status}
        </span>
      ))}
    </>
  );
}

function Actions({ id, found }: { readonly id: string; readonly found: readonly Found[] }) {
  const placed = found.find(isOnMap);
  const json = found.map(({ record }) => JSON.stringify(record, null, 2)).join('\n');
  const chosen = `${placed && collections[placed.collection].noun}:${id}`;
  return (
    <>
      <IconAction icon="copy" label="Copy the id" act={() => copyText(id)} />
      {found.length > 0 && <IconAction icon="braces" label="Copy JSON" act={() => copyText(json)} />}
      {placed && <IconLink icon="map-pin" label="Show on map" href={linkTo('map', { chosen })} />}
      {route.value.screen !== 'entity' && (
        <IconLink icon="rotate-ccw-clock" label="Open as a page" href={linkTo('entity', { id })} />
      )}
    </>
  );
}

function isOnMap({ collection, record }: Found): boolean {
  const { address } = record;
  const isPlaced = typeof address === 'object' && address !== null && 'geoJson' in address;
  return collection === 'locations' || collection === 'routes' || (collection === 'jobs' && isPlaced);
}

interface OverviewProps {
  readonly found: Found;
  /** Whether no other record has its id. */
  readonly isOnly: boolean;
}

function Overview({ found, isOnly }: OverviewProps) {
  const { collection, columns, cells, record, related } = found;
  const { noun } = collections[collection];
  const [, ...others] = columns;
  const times = ['createdAt', 'updatedAt'].map((key) => [key, recordTime(toUtc(String(record[key] ?? '')))] as const);
  const facts = others.filter(({ key }) => key !== 'updatedAt' && cells[key] !== undefined);
  return (
    <section class="column" aria-label={noun}>
      {!isOnly && <h3>The {noun}</h3>}
      <Facts
        of={[
          ...facts.map((column) => [column.title, <Cell column={column} cells={cells} />] as const),
          ...times.map(([key, time]) => [key === 'createdAt' ? 'Created' : 'Updated', `${time} UTC`] as const),
        ]}
      />
      {related && <Related related={related} />}
    </section>
  );
}

interface CellProps {
  readonly column: Schemas['RecordColumn'];
  readonly cells: Found['cells'];
}

/** What a record has in a column. */
export function Cell({ column: { key, collection, isTime }, cells: { [key]: text = '' } }: CellProps) {
  if (text === '') return null;
  if (collection) return <RecordLink collection={collection} id={text} />;
  return <span title={text}>{isTime ? recordTime(text) : visible(text)}</span>;
}

function RecordLink({ id, collection }: { readonly id: string; readonly collection: CollectionName }) {
  return (
    <a class="mono" href={linkTo('records', { collection, record: id })} title={id}>
      {shortId(id)}
    </a>
  );
}

/** The jobs of a route, in its order. */
function Related({ related }: { readonly related: Schemas['RelatedRecords'] }) {
  const { collection, columns, items, count } = related;
  const [, ...others] = columns;
  if (count === 0) return <p class="quiet">No jobs.</p>;
  const cellOf = (column: Schemas['RecordColumn']) => (row: (typeof items)[number]) => (
    <Cell column={column} {...row} />
  );
  return (
    <>
      <h3>Jobs in order</h3>
      <PlainTable
        label="Jobs in order"
        rows={items}
        columns={{
          Job: ({ id }) => <RecordLink collection={collection} id={id} />,
          Position: (_job, index) => index + 1,
          ...Object.fromEntries(others.map((column) => [column.title, cellOf(column)])),
        }}
      />
      {count > items.length && <p class="quiet">and {count - items.length} more</p>}
    </>
  );
}

/** Says why an id has no record: by the last event that decides it, or by the requests that may have named it. */
function Missing({ entity }: { readonly entity: Entity }) {
  const { missing, items, unread = [], id } = entity;
  if (!missing) {
    return (
      <>
        <p class="note">
          {items.length > 0
            ? 'Requests name this id, and none of them created a record.'
            : `No request in the journal of project ${chosenProject()} names this id.`}
        </p>
        {items.length === 0 && <Elsewhere id={id} />}
        {unread.length > 0 && <Unread unread={unread} id={id} />}
      </>
    );
  }
  const { kind, operation, reason } = missing;
  if (kind === 'pending') {
    return (
      <p class="note warn">
        No record yet: {operation} is pending. Advance the <a href={linkTo('clock')}>clock</a>, or wait.
      </p>
    );
  }
  return (
    <p class="note bad">
      No record, because {operation} {kind === 'rejected' ? 'was rejected' : 'failed after its response'}:{' '}
      <strong>{visible(reason ?? '')}</strong>
    </p>
  );
}

/** The other projects that know the id. */
function Elsewhere({ id }: { readonly id: string }) {
  const { value } = useApi<Schemas['SearchResults']>(`/search?${new URLSearchParams({ q: id.slice(0, 200) })}`);
  const found = value?.items.filter(
    (one) => one.id === id && one.project !== undefined && one.project !== chosenProject(),
  );
  if (!found || found.length === 0) return null;
  return (
    <p class="note info">
      {found.map(({ project: other = '', kind }) => (
        <span key={`${other} ${kind}`}>
          Project <a href={linkTo('entity', { project: other, id })}>{other}</a>{' '}
          {kind === 'record' ? 'has a record with this id.' : 'has a request with this id.'}{' '}
        </span>
      ))}
    </p>
  );
}

interface UnreadProps {
  readonly id: string;
  readonly unread: NonNullable<Entity['unread']>;
}

/** Rejected requests from which the sandbox could not read ids. */
function Unread({ id, unread }: UnreadProps) {
  return (
    <Section title="Rejected requests that may have had it">
      <ul class="plain">
        {unread.map(({ requestId, at, operation, method, path, status, hasId }) => (
          <li key={requestId}>
            <Status status={status} /> <RequestLink id={requestId}>{operation ?? `${method} ${path}`}</RequestLink>{' '}
            <span class="quiet">
              at {instant(at)}: {hasId ? `its body or URL has the text ${visible(id)}` : 'its body was not read'}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
