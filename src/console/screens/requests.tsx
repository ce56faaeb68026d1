/** The screen Requests: requests as they arrive, and the detail of one beside them. */
import { formatCount } from '../../lib/format.ts';
import { base, projectPath, type Schemas } from '../api.ts';
import type { Filter } from '../filter.ts';
import { latency, stateKinds, visible } from '../format.ts';
import { List, type Page } from '../parts/list.tsx';
import { Empty, Icon, Status } from '../parts/small.tsx';
import { type Column, Dots, RowIds, RowLink, RowTime } from '../parts/table.tsx';
import { linkTo, route } from '../route.ts';
import { chosenProject, requestTotal } from '../state.ts';
import { RequestDetail } from './request.tsx';

type Row = Schemas['RequestRow'];
type Counts = Schemas['RequestCounts'];

export default function RequestsScreen() {
  const { project = '' } = route.value.query;
  const ofProject = projectPath(project);
  return (
    <List<Row, Counts>
      hasTitle
      label="Requests"
      item="request"
      path={`${ofProject}/requests?view=rows`}
      project={project}
      columns={project === '' ? columnsOfAll : columns}
      filters={toFilters}
      placeholder="Id, operation, path or text in a body"
      refreshesWith="within"
      total={requestTotal.value?.project === project ? requestTotal.value.count : undefined}
      actions={() =>
        project !== '' && (
          <a
            class="button compact"
            title="Download HAR"
            href={`${base}${ofProject}/requests?format=har`}
            download={`${project}.har`}
          >
            <Icon name="download" /> Download HAR
          </a>
        )
      }
      empty={
        <Empty line={project === '' ? 'No requests yet' : `No requests in project ${project} yet`}>
          <a class="button" href={linkTo('connect')}>
            Connect your client
          </a>
          <p>
            Or send <a href={linkTo('reference', { operation: 'asyncImportJobs' })}>asyncImportJobs</a> from the API
            reference.
          </p>
        </Empty>
      }
      detail={(id, close) => <RequestDetail key={id} id={id} close={close} />}
    />
  );
}

const columns: readonly Column<Row>[] = [
  {
    key: 'at',
    title: 'Time',
    look: 'short rare last',
    cell: ({ at, project }) => <RowTime at={at} project={project ?? chosenProject()} />,
  },
  { key: 'method', title: 'Method', look: 'narrow extra mono', cell: ({ method }) => method },
  {
    key: 'operation',
    title: 'Operation',
    look: 'main',
    cell: ({ id, operation, path }) => (
      <RowLink item="request" id={id} hint={path}>
        {operation ?? path}
      </RowLink>
    ),
  },
  { key: 'ids', title: 'Ids', isUnsorted: true, look: 'below', cell: (row) => <RequestIds row={row} /> },
  { key: 'status', title: 'Status', look: 'narrow', cell: ({ status }) => <Status status={status} none="—" /> },
  { key: 'result', title: 'Result', isUnsorted: true, look: 'text below', cell: (row) => <RowResult row={row} /> },
  { key: 'callbacks', title: 'Callbacks', look: 'narrow rare', cell: (row) => <RowCallbacks row={row} /> },
  {
    key: 'duration',
    title: 'Duration',
    look: 'narrow extra end mono quiet',
    cell: ({ durationMs }) => latency(durationMs),
  },
];

const columnsOfAll: readonly Column<Row>[] = [
  ...columns.map((one) => (one.key === 'at' ? { ...one, hint: 'Time (project’s clock)' } : one)),
  {
    key: 'project',
    title: 'Project',
    look: 'short rare quiet',
    cell: ({ project }) => visible(project ?? 'no project'),
  },
];

/** The ids; without any, why the time of the row is not that of its project. */
function RequestIds({ row }: { readonly row: Row }) {
  if (row.change !== null || row.idCount > 0) return <RowIds {...row} />;
  return (
    <span class="quiet" title="The request reached no project: its time is that of the server">
      server’s time
    </span>
  );
}

/** The results of the entries, then warnings, faults, scenarios, and the first reason. */
function RowResult({ row: { entries, warnings, scenarios, fault, status, reason } }: { readonly row: Row }) {
  const parts = [
    { count: status >= 400 ? 1 : 0, text: status < 500 ? 'rejected' : 'failed', kind: 'bad' },
    { count: entries.accepted, text: `${entries.accepted} accepted`, kind: '' },
    { count: entries.refused, text: `${entries.refused} rejected`, kind: 'bad' },
    { count: entries.failed, text: `${entries.failed} failed`, kind: 'bad' },
    { count: entries.pending, text: `${entries.pending} pending`, kind: 'warn' },
    { count: warnings, text: formatCount(warnings, 'warning'), kind: 'warn' },
  ].filter(({ count }) => count > 0);
  return (
    <>
      {parts.map(({ text, kind }, index) => (
        <>
          {index > 0 && ' · '}
          {kind === '' ? text : <span class={kind}>{text}</span>}
        </>
      ))}
      {fault && <span class="bad"> {fault}</span>}
      {scenarios.map((name) => (
        <>
          {' '}
          <span class="chip quiet">{name}</span>
        </>
      ))}
      {reason !== undefined && (
        <span class="quiet reason" title={reason}>
          {' '}
          {visible(reason)}
        </span>
      )}
    </>
  );
}

/** One dot per callback, in the color of its state. */
function RowCallbacks({ row: { callbacks, callbackCount } }: { readonly row: Row }) {
  if (callbackCount === 0) return null;
  const kinds = callbacks.map(({ state }) => stateKinds[state]);
  const more = callbackCount - callbacks.length;
  const label = `${formatCount(callbackCount, 'callback')}: ${callbacks.map(({ state }) => state).join(', ')}`;
  return <Dots label={label} kinds={kinds} after={more > 0 ? `+${more}` : ''} />;
}

/** Values that are always offered, also without requests. */
const statusTitles = { '2xx': '2xx success', '4xx': '4xx rejected', '5xx': '5xx error' };
const outcomeTitles = {
  accepted: 'accepted',
  rejected: 'rejected',
  failed: 'failed',
  pending: 'pending',
  warned: 'with warnings',
  faulted: 'connection broken',
};
const spans = { '1m': 'last minute', '10m': 'last 10 minutes', '1h': 'last hour' };
const methods = Object.fromEntries(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((name) => [name, name]));

function toFilters({ counts, items = [] }: Partial<Page<Row, Counts>>): readonly Filter[] {
  const { problem: value } = route.value.query;
  // A group of problems, which Quality links to, in the words of its requests.
  const problem = value === undefined ? [] : [{ [value]: items[0]?.problem ?? value }];
  return [
    { kind: 'any', key: 'status', title: 'Status', titles: statusTitles, counts: counts?.status },
    { kind: 'any', key: 'outcome', title: 'Outcome', titles: outcomeTitles, counts: counts?.outcome },
    { kind: 'any', key: 'operation', title: 'Operation', counts: counts?.operation },
    { kind: 'any', key: 'scenario', title: 'Scenario', counts: counts?.scenario },
    { kind: 'text', key: 'entity', title: 'Id', placeholder: 'Exact id, such as JOB-1' },
    { kind: 'one', key: 'within', title: 'Time', titles: spans, clears: ['from', 'to'] },
    { kind: 'time', key: 'from', title: 'From (UTC)', clears: ['within'], isRare: true },
    { kind: 'time', key: 'to', title: 'To (UTC)', clears: ['within'], isRare: true },
    { kind: 'any', key: 'method', title: 'Method', titles: methods, isRare: true },
    ...problem.map((titles): Filter => ({ kind: 'one', key: 'problem', title: 'Problem', titles })),
    { kind: 'text', key: 'trace', title: 'Trace', placeholder: 'Trace id', isRare: true },
  ];
}
