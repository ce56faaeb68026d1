/** The screen Callbacks: the callbacks of a project with the detail of one, and the endpoint that they are sent to. */
import { formatCount, formatSpan } from '../../lib/format.ts';
import { callApi, projectPath, type Schemas } from '../api.ts';
import { countedValues, type Filter } from '../filter.ts';
import { attemptKind, attemptText, instant, stateKinds } from '../format.ts';
import { SchemaForm } from '../parts/form.tsx';
import { List, type Page } from '../parts/list.tsx';
import { Menu } from '../parts/menu.tsx';
import { OfProject } from '../parts/project.tsx';
import { Dots, Empty, Icon, Loading, Outcome, RowIds, RowTime, State, Tabs } from '../parts/small.tsx';
import { type Column, RowLink } from '../parts/table.tsx';
import { choose, linkTo, route } from '../route.ts';
import { attempt, notice, on } from '../state.ts';
import { type Loaded, useApi } from '../use-api.ts';
import { CallbackDetail } from './callback.tsx';

type Row = Schemas['CallbackRow'];
type Counts = Schemas['CallbackCounts'];
type Endpoint = Schemas['CallbackEndpoint'];

const tabs = [
  { name: '', title: 'All callbacks' },
  { name: 'endpoint', title: 'Endpoint' },
];

export default function CallbacksScreen() {
  return (
    <OfProject title="Callbacks" what="callbacks">
      {(project) => <Callbacks project={project} />}
    </OfProject>
  );
}

function Callbacks({ project }: { readonly project: string }) {
  const endpoint = useApi<Endpoint>(projectPath(project, '/callback-endpoint'), {
    // A receiver that responds with 410 disables the endpoint.
    reloadOn: on(project, 'callback', 'callback-endpoint', 'reset'),
  });
  return (
    <>
      <Tabs label="Callbacks" parameter="view" tabs={tabs} />
      {route.value.query['view'] === 'endpoint' ? (
        <EndpointForm key={project} project={project} endpoint={endpoint} />
      ) : (
        <CallbackList project={project} endpoint={endpoint} />
      )}
    </>
  );
}

interface OfEndpoint {
  readonly project: string;
  readonly endpoint: Loaded<Endpoint>;
}

function CallbackList({ project, endpoint }: OfEndpoint) {
  return (
    <>
      <Disabled project={project} endpoint={endpoint} />
      <List<Row, Counts>
        label="Callbacks"
        item="callback"
        path={projectPath(project, '/callbacks?view=rows')}
        scope={project}
        columns={columns}
        filters={toFilters}
        placeholder="Entry, reason, request, operation or id"
        reloadOn={on(project, 'callback', 'reset', 'snapshot')}
        actions={<TestCallback project={project} />}
        empty={<NoCallbacks project={project} />}
        detail={(id, close) => <CallbackDetail key={id} project={project} id={id} close={close} />}
      />
    </>
  );
}

function NoCallbacks({ project }: { readonly project: string }) {
  return (
    <Empty line="No callbacks yet">
      <p>
        The sandbox sends one when an accepted entry fails, such as the job <code>FAIL-GEOCODE-1</code>.
      </p>
      <a class="button" href={linkTo('reference', { project, operation: 'asyncImportJobs' })}>
        Import a job in the API reference
      </a>
    </Empty>
  );
}

/** Makes a callback without a request, and opens it. */
function TestCallback({ project }: { readonly project: string }) {
  const send = async (values: Readonly<Record<string, unknown>>, close: () => void): Promise<void> => {
    const { id } = await callApi<Schemas['Callback']>('POST', projectPath(project, '/callbacks'), values);
    close();
    choose({ callback: id });
  };
  return (
    <Menu
      label="Send a test callback"
      content={
        <>
          <Icon name="webhook" /> Send a test callback
        </>
      }
      look="compact"
    >
      {(close) => (
        <SchemaForm
          of="CallbackTrigger"
          fields={['type', 'forge', 'copies']}
          submit="Send"
          save={(values) => send(values, close)}
        />
      )}
    </Menu>
  );
}

/** Says that nothing is sent, because the endpoint is disabled. */
function Disabled({ project, endpoint: { value, set } }: OfEndpoint) {
  if (!value?.disabled) return null;
  const enable = () =>
    attempt('Callbacks are sent again.', async () =>
      set(await callApi<Endpoint>('PATCH', projectPath(project, '/callback-endpoint'), { disabled: false })),
    );
  return (
    <p class="note warn row" role="status">
      <span>
        Callbacks are not sent to <code>{value.url}</code>: the receiver responded with 410, or sending was disabled.
        They are stored in the inbox.
      </span>
      <button type="button" class="push" onClick={enable}>
        Enable
      </button>
    </p>
  );
}

const columns: readonly Column<Row>[] = [
  { key: 'at', title: 'Time', isSorting: true, cell: ({ at }) => <RowTime at={at} /> },
  {
    key: 'type',
    title: 'Type',
    isSorting: true,
    cell: ({ id, type }) => (
      <RowLink item="callback" id={id}>
        {type}
      </RowLink>
    ),
  },
  { key: 'ids', title: 'Ids', cell: (row) => <RowIds {...row} /> },
  { key: 'state', title: 'State', isSorting: true, cell: ({ state }) => <State state={state} /> },
  { key: 'attempts', title: 'Attempts', isSorting: true, cell: (row) => <RowAttempts row={row} /> },
  { key: 'status', title: 'Last', isSorting: true, cell: ({ attempts }) => <LastOutcome of={attempts.at(-1)} /> },
  {
    key: 'latency',
    title: 'Latency',
    isSorting: true,
    cell: ({ attempts }) => {
      const ms = attempts.at(-1)?.durationMs;
      return ms !== undefined && <span class="mono quiet">{formatSpan(ms)}</span>;
    },
  },
  {
    key: 'operation',
    title: 'Operation',
    isSorting: true,
    cell: ({ operation }) => <span class="quiet">{operation}</span>,
  },
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
  const kinds = [...shown.map(attemptKind), ...(isPending ? ['next'] : [])];
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
    { kind: 'any', key: 'state', title: 'State', values: countedValues(counts?.state, states) },
    { kind: 'any', key: 'type', title: 'Type', values: countedValues(counts?.type) },
    { kind: 'any', key: 'operation', title: 'Operation', values: countedValues(counts?.operation) },
    { kind: 'text', key: 'entity', title: 'Id', placeholder: 'Exact id, such as JOB-1' },
    { kind: 'text', key: 'requestId', title: 'Request', placeholder: 'Id of a request' },
  ];
}

/** Shows, sets, disables and deletes the endpoint. Its secret can be set, but is never shown. */
function EndpointForm({ project, endpoint }: OfEndpoint) {
  const path = projectPath(project, '/callback-endpoint');
  const { value, set, reload } = endpoint;
  if (!value) return <Loading of={endpoint} />;
  const save = async (values: Readonly<Record<string, unknown>>): Promise<void> => {
    set(await callApi<Endpoint>('PATCH', path, values));
    notice('good', 'secret' in values ? 'Saved with the new secret.' : 'Saved. The secret is unchanged.');
  };
  const remove = () => attempt('Endpoint deleted.', () => callApi('DELETE', path).then(reload));
  return (
    <section class="column narrow" aria-label="Endpoint">
      <EndpointStatus project={project} endpoint={value} />
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

function EndpointStatus({ project, endpoint }: { readonly project: string; readonly endpoint: Endpoint }) {
  const { url, disabled, listener } = endpoint;
  const inbox = <a href={linkTo('callbacks', { project, state: 'inbox' })}>inbox</a>;
  if (listener) {
    return (
      <p role="status">
        <span class="chip good">listener</span> Callbacks of {project} go to the listener at{' '}
        <code>{listener.address}</code>, since {instant(listener.since)}.
      </p>
    );
  }
  if (url === null) {
    return (
      <p role="status">
        No URL. Callbacks of {project} are stored in the {inbox}.
      </p>
    );
  }
  return (
    <p role="status">
      <span class={`chip ${disabled ? 'warn' : 'good'}`}>{disabled ? 'disabled' : 'enabled'}</span> Callbacks of{' '}
      {project} are {disabled && 'not '}sent to <code>{url}</code>.{' '}
      {disabled && (
        <>They are stored in the {inbox}. The endpoint was disabled manually, or the receiver responded with 410.</>
      )}
    </p>
  );
}
