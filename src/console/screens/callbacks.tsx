/** The screen Callbacks: the callbacks of a project with the detail of one, and the endpoint that they are sent to. */
import { formatCount, formatSpan } from '../../lib/format.ts';
import { callApi, projectPath, type Schemas } from '../api.ts';
import type { Filter } from '../filter.ts';
import { attemptKind, attemptText, instant, stateKinds } from '../format.ts';
import { SchemaForm } from '../parts/form.tsx';
import { List, type Page } from '../parts/list.tsx';
import { Menu } from '../parts/menu.tsx';
import { OfProject } from '../parts/project.tsx';
import { Empty, Icon, Loading, Outcome, State, Tabs } from '../parts/small.tsx';
import { type Column, Dots, RowIds, RowLink, RowTime } from '../parts/table.tsx';
import { choose, linkTo, route } from '../route.ts';
import { attempt, chosenProject, notice } from '../state.ts';
import { type Loaded, useProjectApi } from '../use-api.ts';
import { CallbackDetail } from './callback.tsx';

type Row = Schemas['CallbackRow'];
type Counts = Schemas['CallbackCounts'];
type Endpoint = Schemas['CallbackEndpoint'];

const tabs = { '': 'All callbacks', endpoint: 'Endpoint' };

export default function CallbacksScreen() {
  const endpoint = useProjectApi<Endpoint>('/callback-endpoint');
  return (
    <OfProject title="Callbacks" what="callbacks">
      <Tabs label="Callbacks" parameter="view" tabs={tabs} />
      {route.value.query['view'] === 'endpoint' ? (
        <EndpointForm endpoint={endpoint} />
      ) : (
        <>
          {endpoint.value?.disabled && <Disabled {...endpoint.value} />}
          <CallbackList />
        </>
      )}
    </OfProject>
  );
}

function CallbackList() {
  const project = chosenProject() ?? '';
  return (
    <List<Row, Counts>
      label="Callbacks"
      item="callback"
      project={project}
      path={projectPath(project, '/callbacks?view=rows')}
      columns={columns}
      filters={toFilters}
      placeholder="Entry, reason, request, operation or id"
      actions={() => <TestCallback />}
      empty={
        <Empty line="No callbacks yet">
          <p>
            The sandbox sends one when an accepted entry fails, such as the job <code>FAIL-GEOCODE-1</code>.
          </p>
          <a class="button" href={linkTo('reference', { operation: 'asyncImportJobs' })}>
            Import a job in the API reference
          </a>
        </Empty>
      }
      detail={(id, close) => <CallbackDetail key={id} id={id} close={close} />}
    />
  );
}

/** Makes a callback without a request, and opens it. */
function TestCallback() {
  const content = (
    <>
      <Icon name="webhook" /> Send a test callback
    </>
  );
  return (
    <Menu label="Send a test callback" content={content} look="compact">
      {(close) => (
        <SchemaForm
          of="CallbackTrigger"
          fields={['type', 'forge', 'copies']}
          submit="Send"
          save={async (values) => {
            const { id } = await callApi<Row>('POST', projectPath(chosenProject() ?? '', '/callbacks'), values);
            close();
            choose({ callback: id });
          }}
        />
      )}
    </Menu>
  );
}

const columns: readonly Column<Row>[] = [
  {
    key: 'at',
    title: 'Time',
    look: 'short rare last',
    cell: ({ at }) => <RowTime at={at} project={chosenProject()} />,
  },
  {
    key: 'type',
    title: 'Type',
    look: 'main',
    cell: ({ id, type }) => (
      <RowLink item="callback" id={id}>
        {type}
      </RowLink>
    ),
  },
  { key: 'ids', title: 'Ids', isUnsorted: true, look: 'below', cell: (row) => <RowIds {...row} /> },
  { key: 'state', title: 'State', look: 'short', cell: ({ state }) => <State state={state} /> },
  { key: 'attempts', title: 'Attempts', look: 'short after', cell: (row) => <RowAttempts row={row} /> },
  { key: 'status', title: 'Last', look: 'narrow rare', cell: ({ attempts }) => <LastOutcome of={attempts.at(-1)} /> },
  {
    key: 'latency',
    title: 'Latency',
    look: 'short extra end mono quiet',
    cell: ({ attempts }) => {
      const ms = attempts.at(-1)?.durationMs;
      return ms !== undefined && formatSpan(ms);
    },
  },
  { key: 'operation', title: 'Operation', look: 'extra quiet', cell: ({ operation }) => operation },
];

/** Maximum number of dots in a row. */
const maxDots = 5;

/** One dot per attempt in the color of its outcome, and a hollow one for the next attempt. */
function RowAttempts({ row: { attempts, attemptCount, state } }: { readonly row: Row }) {
  const shown = attempts.slice(-maxDots);
  const more = attemptCount - shown.length;
  const outcomes = shown.map(attemptText).join(', ');
  const isPending = state === 'scheduled';
  const label = `${formatCount(attemptCount, 'attempt')}${outcomes === '' ? '' : `: ${outcomes}`}${isPending ? ', one scheduled' : ''}`;
  const kinds = [...shown.map(attemptKind), ...(isPending ? (['quiet'] as const) : [])];
  return <Dots label={label} kinds={kinds} before={more > 0 ? `${more}+` : ''} />;
}

function LastOutcome({ of }: { readonly of: Schemas['RowAttempt'] | undefined }) {
  if (of === undefined) return null;
  if (of.error === undefined) return <Outcome of={of} />;
  return (
    <span class="chip bad" title={of.error}>
      none
    </span>
  );
}

function toFilters({ counts }: Partial<Page<Row, Counts>>): readonly Filter[] {
  const states = Object.fromEntries(Object.keys(stateKinds).map((state) => [state, state]));
  return [
    { kind: 'any', key: 'state', title: 'State', titles: states, counts: counts?.state },
    { kind: 'any', key: 'type', title: 'Type', counts: counts?.type },
    { kind: 'any', key: 'operation', title: 'Operation', counts: counts?.operation },
    { kind: 'text', key: 'entity', title: 'Id', placeholder: 'Exact id, such as JOB-1' },
    { kind: 'text', key: 'requestId', title: 'Request', placeholder: 'Id of a request' },
  ];
}

function callEndpoint(method: string, values?: object): Promise<Endpoint> {
  return callApi(method, projectPath(chosenProject() ?? '', '/callback-endpoint'), values);
}

/** Says that nothing is sent, because the endpoint is disabled. */
function Disabled({ url }: Pick<Endpoint, 'url'>) {
  const enable = () => attempt('Callbacks are sent again.', () => callEndpoint('PATCH', { disabled: false }));
  return (
    <p class="note warn row" role="status">
      <span>
        Callbacks are not sent to <code>{url}</code>: the receiver responded with 410, or sending was disabled. They are
        stored in the <Inbox />.
      </span>
      <button type="button" class="push" onClick={enable}>
        Enable
      </button>
    </p>
  );
}

function Inbox() {
  return <a href={linkTo('callbacks', { state: 'inbox' })}>inbox</a>;
}

/** Shows, sets, disables and deletes the endpoint. Its secret can be set, but is never shown. */
function EndpointForm({ endpoint }: { readonly endpoint: Loaded<Endpoint> }) {
  const { value } = endpoint;
  if (!value) return <Loading of={endpoint} />;
  const save = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    await callEndpoint('PATCH', values);
    notice('good', 'secret' in values ? 'Saved with the new secret.' : 'Saved. The secret is unchanged.');
  };
  const remove = () => attempt('Endpoint deleted.', () => callEndpoint('DELETE'));
  return (
    <section class="column narrow" aria-label="Endpoint">
      {value.disabled ? <Disabled {...value} /> : <Target {...value} />}
      <SchemaForm
        key={`${value.url} ${value.disabled}`}
        of="CallbackEndpointPatch"
        values={{ ...value }}
        submit="Save"
        save={save}
      >
        {value.url !== null && (
          <button type="button" onClick={remove}>
            Delete
          </button>
        )}
      </SchemaForm>
      <p class="quiet">
        An empty secret keeps the current one; the default is the published secret. Without an endpoint, callbacks are
        sent to <code>--callback-url</code> if it is set. Otherwise they are stored in the inbox.
      </p>
    </section>
  );
}

/** Says where callbacks go. */
function Target({ url, listener }: Endpoint) {
  const callbacks = `Callbacks of ${chosenProject()} are`;
  if (!listener && url === null) {
    return (
      <p role="status">
        No URL. {callbacks} stored in the <Inbox />.
      </p>
    );
  }
  return (
    <p role="status">
      <span class="chip good">{listener ? 'listener' : 'enabled'}</span> {callbacks} sent to{' '}
      {listener && 'the listener at '}
      <code>{listener?.address ?? url}</code>
      {listener && `, since ${instant(listener.since)}`}.
    </p>
  );
}
