/** The screen Scenarios: everything that can fail on purpose in one list, what is active, and what it did. */
import type { ComponentChildren, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { callApi, projectPath, type Schemas } from '../api.ts';
import type { SandboxEvent } from '../events.ts';
import { cleared, type Filter } from '../filter.ts';
import { Filters } from '../parts/filters.tsx';
import { Code, Empty, ErrorNote, Icon, IconAction, Skeleton } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { choose, linkTo, route } from '../route.ts';
import { activate, deactivate, drafts, nameOf, openDraft, removeScenario, rename } from '../scenarios.ts';
import { access, attempt, chosenProject, copyText, isOf } from '../state.ts';
import { useApi } from '../use-api.ts';

type Row = Schemas['ScenarioRow'];

/** Maximum number of failures that are shown: those of all operations are some hundreds. */
const maxShown = 200;

const defaultOperation = 'asyncImportJobs';
const allOperations = 'all';

export function ScenariosScreen() {
  const { edit = '', view = '' } = route.value.query;
  if (edit !== '' || view === 'editor') return <LazyEditor key={edit || 'new'} name={edit || 'new'} />;
  const draft = drafts.value.get('new');
  return (
    <>
      <div class="row">
        <h1>Scenarios</h1>
        <span class="push" />
        {draft !== undefined && (
          <a href={linkTo('scenarios', { edit: 'new' })}>Continue the unsaved {nameOf(draft) || 'scenario'}</a>
        )}
        <button type="button" class="main" onClick={() => openDraft('')}>
          <Icon name="plus" /> New scenario
        </button>
      </div>
      <ScenarioList />
    </>
  );
}

/** The editor is as large as the rest of the console, so it is loaded when it opens. */
function LazyEditor({ name }: { readonly name: string }) {
  const [loaded, setLoaded] = useState<{ readonly Editor: FunctionComponent<{ readonly name: string }> }>();
  useEffect(() => {
    void attempt('', async () => setLoaded({ Editor: (await import('./scenario.tsx')).ScenarioEditor }));
  }, []);
  if (loaded) return <loaded.Editor name={name} />;
  return (
    <>
      <h1>Scenarios</h1>
      <Skeleton rows={12} />
    </>
  );
}

const groups: readonly Filter[] = [
  {
    kind: 'one',
    key: 'group',
    title: 'Show',
    values: [
      { value: 'active', title: 'active' },
      { value: 'own', title: 'own' },
      { value: 'shipped', title: 'shipped' },
      { value: 'failures', title: 'single failures' },
    ],
  },
];

function ScenarioList() {
  const project = chosenProject();
  const { q = '', group = '', op = defaultOperation } = route.value.query;
  const query = new URLSearchParams({
    ...{ view: 'rows', limit: '1000' },
    ...(project !== undefined && { project }),
    ...(op !== allOperations && { operation: op }),
  });
  const { value, errorText, reload } = useApi<Schemas['ScenarioRowPage']>(`/scenarios?${query}`, {
    reloadOn: (event) => mayChange(event, project),
    kept: project ?? '',
  });
  if (!value) return errorText === '' ? <Skeleton rows={12} /> : <ErrorNote text={errorText} />;
  const words = q.toLowerCase();
  const rows = value.items.filter((row) => isInGroup(row, group) && textOf(row).includes(words));
  const failures = rows.filter(({ source }) => source === 'catalog');
  const common = { project, reload };
  return (
    <>
      <ErrorNote text={errorText} />
      {project !== undefined && <Active project={project} rows={value.items} reload={reload} />}
      <div class="row filters">
        <Filters label="Search scenarios" placeholder="Name, effect, operation or id" filters={groups} />
      </div>
      {rows.length === 0 && (
        <Empty line="No matches">
          <button type="button" onClick={() => choose({ ...cleared(groups), q: '' })}>
            Clear filters
          </button>
        </Empty>
      )}
      <Rows {...common} title="Scenarios" rows={rows.filter(({ source }) => source !== 'catalog')} />
      <Rows {...common} title="Single failures" rows={failures}>
        <Operations chosen={op} />
      </Rows>
    </>
  );
}

function mayChange(event: SandboxEvent, project: string | undefined): boolean {
  if (event.kind === 'records') return false;
  if (event.kind === 'change' && event.what === 'library') return true;
  return project === undefined || isOf(event, project);
}

function isInGroup({ source, active }: Row, group: string): boolean {
  switch (group) {
    case 'active':
      return active.includes('project') || active.includes('server');
    case 'own':
      return source !== 'shipped' && source !== 'catalog';
    case 'shipped':
      return source === 'shipped';
    case 'failures':
      return source === 'catalog';
    default:
      return true;
  }
}

function textOf({ name, title, about, operation, magicId, header }: Row): string {
  return [name, title, about, operation, magicId, header].join(' ').toLowerCase();
}

function Operations({ chosen }: { readonly chosen: string }) {
  const { value } = useApi<Schemas['Catalog']>('/catalog');
  return (
    <label class="quiet push">
      Failures of{' '}
      <select
        aria-label="Operation of single failures"
        value={chosen}
        onChange={({ currentTarget }) => choose({ op: currentTarget.value })}
      >
        <option value={allOperations}>all operations</option>
        {(value?.items ?? [{ operation: chosen }]).map(({ operation }) => (
          <option key={operation} value={operation}>
            {operation}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ActiveProps {
  readonly project: string;
  readonly rows: readonly Row[];
  readonly reload: () => void;
}

/** What is active in the project, with the counts of each rule. The first rule that matches decides. */
function Active({ project, rows, reload }: ActiveProps) {
  // Unused magic ids would hide the rest.
  const shown = rows.flatMap((row): readonly Row[] => {
    const used = row.active.includes('always') ? row.rules.filter(({ acted }) => acted > 0) : row.rules;
    return row.active.length > 0 && (used.length > 0 || !row.active.includes('always'))
      ? [{ ...row, rules: used }]
      : [];
  });
  const own = shown.filter(({ active }) => active.includes('project'));
  const act = (done: string, action: () => Promise<unknown>) => attempt(done, action).then(reload);
  const clear = () => callApi('PUT', projectPath(project, '/scenarios'), { scenarios: [] });
  return (
    <section class="card column" aria-label={`Active in ${project}`}>
      <div class="row">
        <h2>Active in {project}</h2>
        {own.length > 1 && (
          <button type="button" class="plain push" onClick={() => act('Deactivated all scenarios.', clear)}>
            Deactivate all
          </button>
        )}
      </div>
      {shown.length === 0 ? (
        <p class="quiet">No active scenario. Switch one on below, or write a new one.</p>
      ) : (
        <PlainTable label="Rules" columns={['Scenario', 'Rule', 'Matched', 'Fired', 'Left', 'Actions']}>
          {shown.map((row) => (
            <ActiveRows key={row.name} project={project} row={row} act={act} />
          ))}
        </PlainTable>
      )}
      <Expectations of={shown.flatMap(({ expectations }) => expectations)} />
    </section>
  );
}

interface ActiveRowsProps {
  readonly project: string;
  readonly row: Row;
  readonly act: (done: string, action: () => Promise<unknown>) => unknown;
}

function ActiveRows({ project, row: { name, active, rules }, act }: ActiveRowsProps) {
  const isOwn = active.includes('project');
  const span = Math.max(1, rules.length);
  return (
    <>
      {(rules.length === 0 ? [undefined] : rules).map((rule, index) => (
        <tr key={rule?.rule ?? ''}>
          {index === 0 && (
            <th scope="row" rowSpan={span}>
              <a href={linkTo('scenarios', { edit: name })}>{name}</a>{' '}
              {!isOwn && <span class="chip quiet">{active.includes('always') ? 'always on' : 'all projects'}</span>}
            </th>
          )}
          <td>{rule?.rule}</td>
          <td class="number">{rule?.met.toLocaleString('en')}</td>
          <td class="number">{rule && <FiredLink count={rule.acted} project={project} name={name} />}</td>
          <td>{rule && <Left of={rule.left} />}</td>
          {index === 0 && (
            <td rowSpan={span} class="nowrap">
              {isOwn && (
                <>
                  <button type="button" onClick={() => act(`${name} is armed again.`, () => activate(project, name))}>
                    Arm again
                  </button>{' '}
                  <IconAction
                    icon="x"
                    label={`Deactivate ${name}`}
                    act={() => act('', () => deactivate(project, name))}
                  />
                </>
              )}
            </td>
          )}
        </tr>
      ))}
    </>
  );
}

interface FiredLinkProps {
  readonly count: number;
  readonly project: string;
  readonly name: string;
}

function FiredLink({ count, project, name }: FiredLinkProps) {
  if (count === 0) return <span class="quiet">0</span>;
  return <a href={linkTo('live', { project, scenario: name })}>{count.toLocaleString('en')}</a>;
}

function Left({ of }: { readonly of: number | null }) {
  if (of === null) return <span class="quiet">no limit</span>;
  return of === 0 ? <span class="chip warn">used up</span> : <span>{of.toLocaleString('en')}</span>;
}

function Expectations({ of }: { readonly of: Row['expectations'] }) {
  if (of.length === 0) return null;
  return (
    <ul class="plain" aria-label="Expectations">
      {of.map(({ scenario, met, why }, index) => (
        <li key={index} class="row">
          <span class={`chip ${met ? 'good' : 'bad'}`}>{met ? 'met' : 'not met'}</span>
          <span>{why}</span>
          <span class="quiet">{scenario}</span>
        </li>
      ))}
    </ul>
  );
}

interface RowsProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly project: string | undefined;
  readonly reload: () => void;
  /** Shown beside the title. */
  readonly children?: ComponentChildren;
}

function Rows({ title, rows, project, reload, children }: RowsProps) {
  if (rows.length === 0 && !children) return null;
  const isOfKey = access.value?.admin === false;
  const columns = [
    ...['Name', 'What happens', 'For one request', 'Fired'],
    ...(project === undefined ? [] : [project]),
    ...(isOfKey ? [] : ['All projects']),
    'Actions',
  ];
  return (
    <section class="column" aria-label={title}>
      <div class="row">
        <h2>
          {title} <span class="count">{rows.length}</span>
        </h2>
        {children}
      </div>
      {rows.length > 0 && (
        <PlainTable label={`${title} table`} columns={columns}>
          {rows.slice(0, maxShown).map((row) => (
            <ScenarioRow key={row.name} row={row} project={project} isOfKey={isOfKey} reload={reload} />
          ))}
        </PlainTable>
      )}
      {rows.length > maxShown && <p class="quiet">The first {maxShown} are shown: search for the others.</p>}
    </section>
  );
}

interface RowProps {
  readonly row: Row;
  readonly project: string | undefined;
  readonly isOfKey: boolean;
  readonly reload: () => void;
}

const sourceTitles: Readonly<Partial<Record<Row['source'], string>>> = {
  folder: 'from a folder',
  option: 'from an option',
  control: 'own',
  inline: 'inline',
};

function ScenarioRow({ row, project, isOfKey, reload }: RowProps) {
  const { name, title, about, source, operation, magicId, header, fired, active } = row;
  const { op = defaultOperation } = route.value.query;
  const open = (event: Event): void => {
    if (source !== 'catalog') return;
    event.preventDefault();
    void attempt('', async () => openDraft(await readText(row, project)));
  };
  const duplicate = () => attempt('', async () => openDraft(rename(await readText(row, project), `${name}-copy`)));
  const toggle = (of: string | undefined, isOn: boolean) =>
    attempt('', async () => {
      if (isOn) await deactivate(of, name);
      else await activate(of, name, source === 'inline' ? await readUnmasked(row, project) : undefined);
    }).then(reload);
  return (
    <tr>
      <th scope="row">
        <a href={linkTo('scenarios', { edit: source === 'catalog' ? 'new' : name })} onClick={open}>
          {title}
        </a>{' '}
        {sourceTitles[source] !== undefined && <span class="chip quiet">{sourceTitles[source]}</span>}
        {active.includes('always') && <span class="chip good">always on</span>}
      </th>
      <td class="about" title={about}>
        {op === allOperations && operation !== undefined && <strong>{operation}: </strong>}
        <Code text={about} />
      </td>
      <td class="nowrap">
        {magicId !== undefined && <CopyText what="id" text={magicId} shown={magicId} />}{' '}
        {header !== undefined && <CopyText what="header" text={header} shown="header" />}
      </td>
      <td class="number">
        <FiredLink count={fired} project={project ?? ''} name={name} />
      </td>
      {project !== undefined && (
        <td>
          <Switch
            label={`${name} for ${project}`}
            isOn={active.includes('project')}
            set={(isOn) => toggle(project, isOn)}
          />
        </td>
      )}
      {!isOfKey && (
        <td>
          <Switch
            label={`${name} for all projects`}
            isOn={active.includes('server')}
            set={(isOn) => toggle(undefined, isOn)}
          />
        </td>
      )}
      <td class="nowrap">
        {source === 'control' && !isOfKey && (
          <IconAction icon="trash" label={`Delete ${name}`} act={() => removeScenario(name)} />
        )}
        <IconAction icon="copy" label={`Duplicate ${name}`} act={duplicate} />
      </td>
    </tr>
  );
}

interface CopyTextProps {
  readonly what: string;
  readonly text: string;
  readonly shown: string;
}

function CopyText({ what, text, shown }: CopyTextProps) {
  const label = `Copy ${what} ${text}`;
  return (
    <button type="button" class="plain mono" title={label} aria-label={label} onClick={() => copyText(text)}>
      {shown}
    </button>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  /** Called with the state before. */
  readonly set: (isOn: boolean) => unknown;
}

function Switch({ label, isOn, set }: SwitchProps) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      onClick={() => set(isOn)}
    />
  );
}

/** Returns the text of a row: of the library, of the catalog, or as it is active. */
async function readText({ name, source, operation, title }: Row, project: string | undefined): Promise<string> {
  const path = `/scenarios/${encodeURIComponent(name)}`;
  if (source === 'catalog') {
    const { items } = await callApi<Schemas['Catalog']>('GET', '/catalog');
    const of = items.find((one) => one.operation === operation)?.failures ?? [];
    return rename(of.find(({ kind }) => kind === title)?.yaml ?? '', name);
  }
  if (source !== 'inline') return (await callApi<Schemas['Scenario']>('GET', path)).text;
  if (project === undefined) throw new Error(`Select a project first: the library does not have ${name}.`);
  return JSON.stringify(await callApi('GET', projectPath(project, path)), null, 2);
}

async function readUnmasked(row: Row, project: string | undefined): Promise<string> {
  const text = await readText(row, project);
  if (!text.includes('"***"')) return text;
  throw new Error(`The conditions of ${row.name} contain secrets, which are masked: activate your own text of it.`);
}
