/** The screen Records: the records of a project in tables, with the detail of one; and everything about one id. */
import { useEffect, useRef } from 'preact/hooks';
import { projectPath, type Schemas } from '../api.ts';
import type { Filter } from '../filter.ts';
import { visible } from '../format.ts';
import { List, type Page } from '../parts/list.tsx';
import { OfProject } from '../parts/project.tsx';
import { Empty } from '../parts/small.tsx';
import { type Column, RowLink } from '../parts/table.tsx';
import { linkTo, route } from '../route.ts';
import { chosenProject, of, projects } from '../state.ts';
import { useApi } from '../use-api.ts';
import { Cell, type CollectionName, collections, RecordDetail } from './record.tsx';

type Row = Schemas['RecordRow'];
type Counts = Schemas['RecordCounts'];

const names = Object.keys(collections) as readonly CollectionName[];

export default function RecordsScreen() {
  const { screen, query } = route.value;
  const id = screen === 'entity' && query['id'] ? query['id'] : undefined;
  const name = names.find((one) => one === query['collection']) ?? 'jobs';
  return (
    <OfProject title="Records" what="records">
      <Collections current={id === undefined ? name : ''} />
      {id === undefined ? (
        <RecordList key={name} name={name} />
      ) : (
        <RecordDetail
          key={id}
          id={id}
          close={() => {
            location.hash = linkTo('records');
          }}
        />
      )}
    </OfProject>
  );
}

function countsOf(project: string | undefined) {
  return projects.value?.find(({ id }) => id === project)?.counts;
}

/** The views of the records, as links: a table of each collection, and the map. */
export function Collections({ current }: { readonly current: string }) {
  const counts = countsOf(chosenProject());
  const nav = useRef<HTMLElement>(null);
  // On a phone, the tabs are wider than the screen.
  useEffect(() => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [current]);
  return (
    <nav ref={nav} class="tabs" aria-label="Collections">
      {names.map((name) => (
        <a
          key={name}
          href={linkTo('records', { collection: name })}
          aria-current={name === current ? 'page' : undefined}
        >
          {collections[name].title} {counts && <span class="count">{counts[name].toLocaleString('en')}</span>}
        </a>
      ))}
      <a href={linkTo('map')} aria-current={current === 'map' ? 'page' : undefined}>
        Map
      </a>
    </nav>
  );
}

function RecordList({ name }: { readonly name: CollectionName }) {
  const project = chosenProject() ?? '';
  const { title, noun, createdBy } = collections[name];
  const { q = '' } = route.value.query;
  return (
    <List<Row, Counts>
      label={title}
      item="record"
      noun={noun}
      path={projectPath(project, `/${name}?view=rows`)}
      project={project}
      columns={toColumns}
      sort="-updatedAt"
      filters={({ counts }) => toFilters(name, counts)}
      placeholder="Id, status, address, any field"
      total={countsOf(project)?.[name]}
      above={() => q !== '' && <KnownIds name={name} text={q} />}
      empty={
        <Empty line={`No ${title.toLowerCase()} yet`}>
          <a class="button" href={linkTo('reference', { operation: createdBy })}>
            Create one with {createdBy}
          </a>
        </Empty>
      }
      detail={(id, close) => <RecordDetail key={id} id={id} collection={name} close={close} />}
    />
  );
}

function toFilters(name: CollectionName, counts: Counts | undefined): readonly Filter[] {
  if (!collections[name].hasStatus) return [];
  return [{ kind: 'any', key: 'status', title: 'Status', counts: counts?.status }];
}

/** The widths of columns, and which of them are hidden where there is no room. */
const looks: Readonly<Record<string, string>> = {
  ...{ jobs: 'narrow', driver: 'rare', updatedAt: 'wide rare last', place: 'wide after' },
  ...{ address: 'text below', customer: 'text below', email: 'text below' },
  ...{ subProjectId: 'extra', storeId: 'extra', access: 'extra', routeId: 'extra' },
};

function toColumns({ columns = [] }: Page<Row, Counts>): readonly Column<Row>[] {
  return columns.map(({ collection: _, ...column }, index) => ({
    ...column,
    look: index === 0 ? 'main' : (looks[column.key] ?? (column.isTime ? 'wide rare' : '')),
    cell: ({ id, cells }) => (index === 0 ? <RowLink item="record" id={id} /> : <Cell column={column} cells={cells} />),
  }));
}

/** Maximum number of ids above the matches of a search. */
const maxKnown = 5;

/** The ids that begin with the text: of other collections, and those that requests name and that never became records. */
function KnownIds({ name, text }: { readonly name: CollectionName; readonly text: string }) {
  const project = chosenProject() ?? '';
  const query = new URLSearchParams({ q: text.slice(0, 200), project, limit: '20' });
  const { value } = useApi<Schemas['SearchResults']>(`/search?${query}`, { reloadOn: of(project) });
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
