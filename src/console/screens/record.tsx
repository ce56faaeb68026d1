/** All about one id: its records, or why it has none, what belongs to it, and everything that happened to it. */
import { useState } from 'preact/hooks';
import { formatCount } from '../../lib/format.ts';
import { projectPath, type Schemas } from '../api.ts';
import { instant, placeText, recordTime, visible } from '../format.ts';
import { Json } from '../parts/json.tsx';
import { DetailHead, Empty, ErrorNote, Facts, Icon, IconAction, Skeleton, Status, Tabs } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { choose, linkTo, route } from '../route.ts';
import { changesRecords, copyText, isOf } from '../state.ts';
import { useApi } from '../use-api.ts';
import { Events } from './record-events.tsx';

type Entity = Schemas['Entity'];
type Found = Schemas['FoundRecord'];

const tabs = [
  { name: '', title: 'Overview' },
  { name: 'fields', title: 'All fields' },
];

/** Number of events that are loaded at first, and at most. */
const pageSize = 100;
const maxEvents = 1000;

interface RecordDetailProps {
  readonly project: string;
  readonly id: string;
  /** The collection in which the id was opened: its record comes first. */
  readonly collection?: Found['collection'];
  readonly close: () => void;
}

export function RecordDetail({ project, id, collection, close }: RecordDetailProps) {
  const [limit, setLimit] = useState(pageSize);
  const { order = 'newest', detail = '' } = route.value.query;
  const path = projectPath(project, `/entities/${encodeURIComponent(id)}?view=record&order=${order}&limit=${limit}`);
  const { value, errorText } = useApi<Entity>(path, {
    kept: `${project} ${id}`,
    reloadOn: (event) => isOf(event, project),
  });
  const found = value?.found?.toSorted(
    (one, other) => Number(other.collection === collection) - Number(one.collection === collection),
  );
  const isFound = found !== undefined && found.length > 0;
  const nouns = value?.records.map((one) => nounOf[one.collection]) ?? [];
  return (
    <article class="detail-view">
      <DetailHead
        title={
          <>
            <span class="quiet">{nouns.length === 0 ? 'Id' : nouns.join(', ')}</span>{' '}
            <span class="mono">{visible(id)}</span>
          </>
        }
        chip={found && <State found={found} />}
        actions={<Actions project={project} id={id} found={found ?? []} />}
        close={close}
      />
      <ErrorNote text={errorText} />
      {!value && errorText === '' && <Skeleton />}
      {isFound && <Tabs label="Parts of the record" parameter="detail" tabs={tabs} isDetail />}
      {isFound && detail === 'fields'
        ? found.map((one) => <Fields key={one.collection} found={one} />)
        : value && (
            <>
              {found?.map((one) => (
                <Overview key={one.collection} project={project} found={one} isOneOf={found.length} />
              ))}
              {!isFound && <Missing project={project} entity={value} />}
              <Events
                project={project}
                entity={value}
                more={value.next !== undefined && limit < maxEvents ? () => setLimit(maxEvents) : undefined}
              />
            </>
          )}
    </article>
  );
}

const nounOf: Readonly<Record<Found['collection'], string>> = {
  jobs: 'job',
  orders: 'order',
  routes: 'route',
  users: 'user',
  locations: 'device',
};

function State({ found }: { readonly found: readonly Found[] }) {
  const statuses = found.flatMap(({ cells: { status } }) => status ?? []);
  return (
    <span role="status">
      {found.length === 0 && <span class="chip bad">no record</span>}
      {found.length > 0 && statuses.length === 0 && <span class="chip good">stored</span>}
      {statuses.map((status) => (
        <span key={status} class="chip info">
          {status}
        </span>
      ))}
    </span>
  );
}

interface ActionsProps {
  readonly project: string;
  readonly id: string;
  readonly found: readonly Found[];
}

function Actions({ project, id, found }: ActionsProps) {
  const placed = found.find(isOnMap);
  const json = found.map(({ record }) => JSON.stringify(record, null, 2)).join('\n');
  const chosen = `${placed && nounOf[placed.collection]}:${id}`;
  return (
    <div class="row actions" role="group" aria-label="Actions">
      <IconAction icon="copy" label="Copy the id" act={() => copyText(id)} />
      {found.length > 0 && <IconAction icon="braces" label="Copy JSON" act={() => copyText(json)} />}
      {placed && (
        <a class="button icon" aria-label="Show on map" title="Show on map" href={linkTo('map', { project, chosen })}>
          <Icon name="map-pin" />
        </a>
      )}
      {route.value.screen !== 'entity' && (
        <a
          class="button icon"
          aria-label="Open as a page"
          title="Open as a page"
          href={linkTo('entity', { project, id })}
        >
          <Icon name="rotate-ccw-clock" />
        </a>
      )}
    </div>
  );
}

function isOnMap({ collection, record }: Found): boolean {
  const { address } = record;
  const isPlaced = typeof address === 'object' && address !== null && 'geoJson' in address;
  return collection === 'locations' || collection === 'routes' || (collection === 'jobs' && isPlaced);
}

function Fields({ found: { collection, record } }: { readonly found: Found }) {
  return (
    <section class="column" aria-label={nounOf[collection]}>
      <Json text={JSON.stringify(record)} />
    </section>
  );
}

interface OverviewProps {
  readonly project: string;
  readonly found: Found;
  /** Number of records with this id. */
  readonly isOneOf: number;
}

function Overview({ project, found, isOneOf }: OverviewProps) {
  const { collection, columns, cells, record, related } = found;
  const [, ...others] = columns;
  const times = ['createdAt', 'updatedAt'].map((key) => [key, recordTime(String(record[key] ?? ''))] as const);
  const facts = others.filter(({ key }) => key !== 'updatedAt' && cells[key] !== undefined);
  return (
    <section class="column" aria-label={nounOf[collection]}>
      {isOneOf > 1 && <h3>The {nounOf[collection]}</h3>}
      <Facts
        of={[
          ...facts.map((column) => [column.title, <Fact project={project} column={column} cells={cells} />] as const),
          ...times.map(([key, time]) => [key === 'createdAt' ? 'Created' : 'Updated', `${time} UTC`] as const),
        ]}
      />
      {related && <Related project={project} related={related} />}
      {collection === 'locations' && <Trail project={project} id={found.id} />}
    </section>
  );
}

interface FactProps {
  readonly project: string;
  readonly column: Schemas['RecordColumn'];
  readonly cells: Found['cells'];
}

function Fact({ project, column: { key, collection, isTime }, cells }: FactProps) {
  const text = cells[key] ?? '';
  if (!collection) return <>{isTime ? recordTime(text) : visible(text)}</>;
  return (
    <a class="mono" href={linkTo('records', { project, collection, record: text })}>
      {visible(text)}
    </a>
  );
}

/** The jobs of a route, in its order. */
function Related({ project, related }: { readonly project: string; readonly related: Schemas['RelatedRecords'] }) {
  const { collection, columns, items, count } = related;
  const [, ...others] = columns;
  if (count === 0) return <p class="quiet">No jobs.</p>;
  return (
    <>
      <h3>Jobs in order</h3>
      <PlainTable label="Jobs in order" columns={['Position', 'Job', ...others.map(({ title }) => title)]}>
        {items.map(({ id, cells }, index) => (
          <tr key={id}>
            <td>{index + 1}</td>
            <th scope="row">
              <a class="mono" href={linkTo('records', { project, collection, record: id })}>
                {visible(id)}
              </a>
            </th>
            {others.map(({ key, isTime }) => (
              <td key={key}>{isTime ? recordTime(cells[key] ?? '') : visible(cells[key] ?? '')}</td>
            ))}
          </tr>
        ))}
      </PlainTable>
      {count > items.length && <p class="quiet">and {count - items.length} more</p>}
    </>
  );
}

/** Number of locations that are shown at first. */
const firstLocations = 50;

/** The locations of a device, the newest event first. */
function Trail({ project, id }: { readonly project: string; readonly id: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const { value } = useApi<Schemas['Trail']>(projectPath(project, `/locations/${encodeURIComponent(id)}?limit=1000`), {
    reloadOn: (event) => changesRecords(event, project),
  });
  const points = value?.items.toReversed() ?? [];
  if (points.length === 0) return null;
  return (
    <>
      <div class="row">
        <h3>Trail</h3>
        <span class="quiet">{formatCount(points.length, 'location')}</span>
        {points.length > firstLocations && !isWhole && (
          <button type="button" class="plain push" onClick={() => setIsWhole(true)}>
            Show all
          </button>
        )}
      </div>
      <PlainTable label="Trail" columns={['Event time', 'Latitude, longitude']}>
        {points.slice(0, isWhole ? points.length : firstLocations).map(({ eventDateTime, geoJson }, index) => (
          <tr key={index}>
            <td>{recordTime(toUtc(String(eventDateTime)))}</td>
            <td class="mono">{placeText((geoJson as { coordinates?: readonly number[] })?.coordinates ?? [])}</td>
          </tr>
        ))}
      </PlainTable>
    </>
  );
}

function toUtc(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

interface MissingProps {
  readonly project: string;
  readonly entity: Entity;
}

/** Says why an id has no record: by the last event that decides it, or by the requests that may have named it. */
function Missing({ project, entity }: MissingProps) {
  const { missing, items, unread = [], id } = entity;
  if (!missing) {
    return (
      <>
        <p class="note">
          {items.length > 0
            ? 'Requests name this id, and none of them created a record.'
            : `No request in the journal of project ${project} names this id.`}
        </p>
        {items.length === 0 && <Elsewhere project={project} id={id} />}
        {unread.length > 0 && <Unread project={project} unread={unread} id={id} />}
      </>
    );
  }
  const { kind, operation, reason } = missing;
  if (kind === 'pending') {
    return (
      <p class="note warn">
        No record yet: {operation} is pending. Advance the <a href={linkTo('clock', { project })}>clock</a>, or wait.
      </p>
    );
  }
  return (
    <p class="note bad">
      No record, because {operation} {kind === 'rejected' ? 'was rejected' : 'failed after its response'}:{' '}
      <strong>{reason}</strong>
    </p>
  );
}

/** The other projects that know the id. */
function Elsewhere({ project, id }: { readonly project: string; readonly id: string }) {
  const { value } = useApi<Schemas['SearchResults']>(`/search?${new URLSearchParams({ q: id.slice(0, 200) })}`);
  const found = value?.items.filter((one) => one.id === id && one.project !== undefined && one.project !== project);
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
  readonly project: string;
  readonly id: string;
  readonly unread: NonNullable<Entity['unread']>;
}

/** Rejected requests from which the sandbox could not read ids. */
function Unread({ project, id, unread }: UnreadProps) {
  return (
    <section class="column" aria-label="Requests without ids">
      <h3>Rejected requests that may have had it</h3>
      <ul class="plain unread">
        {unread.map(({ requestId, at, operation, method, path, status, hasId }) => (
          <li key={requestId}>
            <Status status={status} />{' '}
            <a href={linkTo('live', { project, request: requestId })}>
              {operation ?? `${method} ${path}`}
              <span class="unseen"> {requestId}</span>
            </a>{' '}
            <span class="quiet">
              at {instant(at)}: {hasId ? `its body or URL has the text ${id}` : 'its body was not read'}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Asks for an id. */
export function AskId() {
  const open = (event: SubmitEvent): void => {
    event.preventDefault();
    choose({ id: String(new FormData(event.target as HTMLFormElement).get('id')).trim() });
  };
  return (
    <Empty line="Which id?">
      <form class="row" onSubmit={open}>
        <label>
          Id <input name="id" required pattern=".*\S.*" autocomplete="off" spellcheck={false} placeholder="JOB-1" />
        </label>
        <button type="submit" class="main">
          Show events
        </button>
      </form>
    </Empty>
  );
}
