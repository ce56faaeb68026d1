/** The screen Records: the records of a project in tables, with the detail of one; and everything about one id. */
import { useEffect, useRef } from 'preact/hooks';
import { projectPath, type Schemas } from '../api.ts';
import { countedValues, type Filter } from '../filter.ts';
import { recordTime, visible } from '../format.ts';
import { List, type Page } from '../parts/list.tsx';
import { OfProject } from '../parts/project.tsx';
import { Empty } from '../parts/small.tsx';
import { type Column, RowLink } from '../parts/table.tsx';
import { linkTo, route } from '../route.ts';
import { onRecords, projects } from '../state.ts';
import { useApi } from '../use-api.ts';
import { AskId, RecordDetail } from './record.tsx';

type Row = Schemas['RecordRow'];
type Counts = Schemas['RecordCounts'];
type CollectionName = Schemas['RecordCollection'];

interface Collection {
  readonly title: string;
  readonly noun: string;
  readonly hasStatus: boolean;
  /** The operation that creates such a record. */
  readonly createdBy: string;
}

const collections: Readonly<Record<CollectionName, Collection>> = {
  jobs: { title: 'Jobs', noun: 'job', hasStatus: true, createdBy: 'syncCreateJobs' },
  orders: { title: 'Orders', noun: 'order', hasStatus: true, createdBy: 'syncImportOrders' },
  routes: { title: 'Routes', noun: 'route', hasStatus: false, createdBy: 'syncCreateRoutes' },
  users: { title: 'Users', noun: 'user', hasStatus: false, createdBy: 'registerUser' },
  locations: { title: 'Devices', noun: 'device', hasStatus: false, createdBy: 'submitLocation' },
};
const names = Object.keys(collections) as readonly CollectionName[];

export default function RecordsScreen() {
  const { screen, query } = route.value;
  const { id = '' } = query;
  const name = names.find((one) => one === query['collection']) ?? 'jobs';
  return (
    <OfProject title="Records" what="records">
      {(project) => (
        <>
          <Collections project={project} current={screen === 'entity' ? '' : name} />
          {screen !== 'entity' ? (
            <RecordList key={name} project={project} name={name} />
          ) : id === '' ? (
            <AskId />
          ) : (
            <RecordDetail
              key={id}
              project={project}
              id={id}
              close={() => {
                location.hash = linkTo('records', { project });
              }}
            />
          )}
        </>
      )}
    </OfProject>
  );
}

/** The views of the records, as links: a table of each collection, and the map. */
export function Collections({ project, current }: { readonly project: string; readonly current: string }) {
  const counts = projects.value?.find(({ id }) => id === project)?.counts;
  const nav = useRef<HTMLElement>(null);
  // On a phone, the tabs are wider than the screen.
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [current]);
  return (
    <nav ref={nav} class="tabs" aria-label="Collections">
      {names.map((name) => (
        <a
          key={name}
          href={linkTo('records', { project, collection: name })}
          aria-current={name === current ? 'page' : undefined}
        >
          {collections[name].title} {counts && <span class="count">{counts[name].toLocaleString('en')}</span>}
        </a>
      ))}
      <a href={linkTo('map', { project })} aria-current={current === 'map' ? 'page' : undefined}>
        Map
      </a>
    </nav>
  );
}

interface OfCollection {
  readonly project: string;
  readonly name: CollectionName;
}

function RecordList({ project, name }: OfCollection) {
  const { title, noun, createdBy } = collections[name];
  const { q = '' } = route.value.query;
  return (
    <List<Row, Counts>
      label={title}
      item="record"
      noun={noun}
      path={projectPath(project, `/${name}?view=rows`)}
      scope={`${project} ${name}`}
      columns={toColumns}
      sort="-updatedAt"
      filters={({ counts }) => toFilters(name, counts)}
      placeholder="Id, status, address, any field"
      reloadOn={onRecords(project)}
      total={projects.value?.find(({ id }) => id === project)?.counts[name]}
      above={q !== '' && <KnownIds project={project} name={name} text={q} />}
      empty={
        <Empty line={`No ${title.toLowerCase()} yet`}>
          <a class="button" href={linkTo('reference', { project, operation: createdBy })}>
            Create one with {createdBy}
          </a>
        </Empty>
      }
      detail={(id, close) => <RecordDetail key={id} project={project} id={id} collection={name} close={close} />}
    />
  );
}

function toFilters(name: CollectionName, counts: Counts | undefined): readonly Filter[] {
  if (!collections[name].hasStatus) return [];
  return [{ kind: 'any', key: 'status', title: 'Status', values: countedValues(counts?.status) }];
}

function toColumns({ columns = [] }: Page<Row, Counts>): readonly Column<Row>[] {
  return columns.map(({ key, title, isTime }, index) => ({
    key,
    title,
    isSorting: true,
    cell: ({ id, cells: { [key]: text = '' } }) => {
      if (index === 0) return <RowLink item="record" id={id} />;
      return text !== '' && <span title={text}>{isTime ? recordTime(text) : visible(text)}</span>;
    },
  }));
}

/** Maximum number of ids above the matches of a search. */
const maxKnown = 5;

/** The ids that begin with the text: of other collections, and those that requests name and that never became records. */
function KnownIds({ project, name, text }: OfCollection & { readonly text: string }) {
  const query = new URLSearchParams({ q: text.slice(0, 200), project, limit: '20' });
  const { value } = useApi<Schemas['SearchResults']>(`/search?${query}`, {
    reloadOn: onRecords(project),
  });
  const found = value?.items.filter(
    ({ kind, id, collection = name }) =>
      (kind === 'entity' || (kind === 'record' && collection !== name)) &&
      id.toLowerCase().startsWith(text.toLowerCase()),
  );
  if (!found || found.length === 0) return null;
  return (
    <ul class="plain" aria-label="Other ids">
      {found.slice(0, maxKnown).map(({ kind, id, collection = name }) => (
        <li key={`${collection} ${id}`}>
          <a class="mono" href={linkTo('records', { ...route.value.query, collection, record: id })}>
            {visible(id)}
          </a>{' '}
          {kind === 'entity' && <span class="chip bad">no record</span>}{' '}
          <span class="quiet">
            {collections[collection].noun}
            {kind === 'entity' && ': see why'}
          </span>
        </li>
      ))}
    </ul>
  );
}
