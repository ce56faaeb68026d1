/** The screen Scenarios: everything that can fail on purpose in one list, what is active, and what it did. */
import type { ComponentChildren } from 'preact';
import { callApi, projectPath, type Schemas } from '../api.ts';
import type { Filter } from '../filter.ts';
import { Filters, NoMatches } from '../parts/filters.tsx';
import { Lazy } from '../parts/lazy.tsx';
import { Card, Code, ErrorNote, Icon, IconAction, Loading } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { isOfKey } from '../projects.ts';
import { choose, linkTo, route } from '../route.ts';
import { activate, deactivate, drafts, nameOf, openDraft, removeScenario, rename, scenarioPath } from '../scenarios.ts';
import { attempt, chosenProject, copyText, of } from '../state.ts';
import { useApi } from '../use-api.ts';

type Row = Schemas['ScenarioRow'];

/** Maximum number of failures that are shown: those of all operations are some hundreds. */
const maxShown = 200;

const defaultOperation = 'asyncImportJobs';
const allOperations = 'all';

export default function ScenariosScreen() {
  const { edit = '', view = '' } = route.value.query;
  if (edit !== '' || view === 'editor') return <Lazy load={loadEditor} />;
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
const loadEditor = () => import('./scenario.tsx');

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
  const loaded = useApi<Schemas['ScenarioRowPage']>(`/scenarios?${query}`, {
    reloadOn: of(project ?? ''),
    kept: project ?? '',
  });
  const { value, errorText, reload } = loaded;
  if (!value) return <Loading of={loaded} rows={12} />;
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
      {rows.length === 0 && <NoMatches filters={groups} />}
      <Rows {...common} title="Scenarios" rows={rows.filter(({ source }) => source !== 'catalog')} />
      <Rows {...common} title="Single failures" rows={failures}>
        <Operations chosen={op} />
      </Rows>
    </>
  );
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
    <Card
      title={`Active in ${project}`}
      beside={
        own.length > 1 && (
          <button type="button" class="plain" onClick={() => act('Deactivated all scenarios.', clear)}>
            Deactivate all
          </button>
        )
      }
    >
      {shown.length === 0 ? (
        <p class="quiet">No active scenario. Switch one on below, or write a new one.</p>
      ) : (
        <PlainTable
          label="Rules"
          rows={shown.flatMap(toActiveRows)}
          columns={{
            Scenario: ({ name, active }) => (
              <>
                <a href={linkTo('scenarios', { edit: name })}>{name}</a>{' '}
                {!active.includes('project') && (
                  <span class="chip quiet">{active.includes('always') ? 'always on' : 'all projects'}</span>
                )}
              </>
            ),
            Rule: ({ rule }) => rule?.rule,
            Matched: ({ rule }) => rule?.met.toLocaleString('en'),
            Fired: ({ rule, name }) => rule && <FiredLink count={rule.acted} project={project} name={name} />,
            Left: ({ rule }) => rule && <Left of={rule.left} />,
            Actions: ({ name, active, isFirst }) =>
              isFirst &&
              active.includes('project') && (
                <span class="nowrap">
                  <button type="button" onClick={() => act(`${name} is armed again.`, () => activate(project, name))}>
                    Arm again
                  </button>{' '}
                  <IconAction
                    icon="x"
                    label={`Deactivate ${name}`}
                    act={() => act('', () => deactivate(project, name))}
                  />
                </span>
              ),
          }}
        />
      )}
      <Expectations of={shown.flatMap(({ expectations }) => expectations)} />
    </Card>
  );
}

/** Returns a line for each rule, and one for a scenario without rules. Only the first one has its actions. */
function toActiveRows({ name, active, rules }: Row) {
  const all = rules.length === 0 ? [undefined] : rules;
  return all.map((rule, index) => ({ name, active, rule, isFirst: index === 0 }));
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
  const toggle = (row: Row, of: string | undefined, isOn: boolean) =>
    attempt('', async () => {
      if (isOn) await deactivate(of, row.name);
      else await activate(of, row.name, row.source === 'inline' ? await readUnmasked(row, project) : undefined);
    }).then(reload);
  const duplicate = async (row: Row) => openDraft(rename(await readText(row, project), `${row.name}-copy`));
  const switchOf = (row: Row, of: string | undefined) => {
    const isOn = row.active.includes(of === undefined ? 'server' : 'project');
    const label = `${row.name} for ${of ?? 'all projects'}`;
    return <Switch label={label} isOn={isOn} set={(next) => toggle(row, of, next)} />;
  };
  return (
    <section class="column" aria-label={title}>
      <div class="row">
        <h2>
          {title} <span class="count">{rows.length}</span>
        </h2>
        {children}
      </div>
      {rows.length > 0 && (
        <PlainTable
          label={`${title} table`}
          rows={rows.slice(0, maxShown)}
          columns={{
            Name: (row) => <Name row={row} project={project} />,
            'What happens': (row) => <About row={row} />,
            'For one request': ({ magicId, header }) => (
              <span class="nowrap">
                {magicId !== undefined && <CopyText what="id" text={magicId} shown={magicId} />}{' '}
                {header !== undefined && <CopyText what="header" text={header} shown="header" />}
              </span>
            ),
            Fired: ({ fired, name }) => <FiredLink count={fired} project={project ?? ''} name={name} />,
            ...(project !== undefined && { [project]: (row: Row) => switchOf(row, project) }),
            ...(!isOfKey() && { 'All projects': (row: Row) => switchOf(row, undefined) }),
            Actions: (row) => (
              <span class="nowrap">
                {row.source === 'control' && !isOfKey() && (
                  <IconAction icon="trash" label={`Delete ${row.name}`} act={() => removeScenario(row.name)} />
                )}
                <IconAction icon="copy" label={`Duplicate ${row.name}`} act={() => attempt('', () => duplicate(row))} />
              </span>
            ),
          }}
        />
      )}
      {rows.length > maxShown && <p class="quiet">The first {maxShown} are shown: search for the others.</p>}
    </section>
  );
}

interface OfRowProps {
  readonly row: Row;
  readonly project?: string | undefined;
}

const sourceTitles: Readonly<Partial<Record<Row['source'], string>>> = {
  folder: 'from a folder',
  option: 'from an option',
  control: 'own',
  inline: 'inline',
};

function Name({ row, project }: OfRowProps) {
  const { name, title, source, active } = row;
  // A failure of the catalog opens as a new scenario.
  const open = (event: Event): void => {
    if (source !== 'catalog') return;
    event.preventDefault();
    void attempt('', async () => openDraft(await readText(row, project)));
  };
  return (
    <>
      <a href={linkTo('scenarios', { edit: source === 'catalog' ? 'new' : name })} onClick={open}>
        {title}
      </a>{' '}
      {sourceTitles[source] !== undefined && <span class="chip quiet">{sourceTitles[source]}</span>}
      {active.includes('always') && <span class="chip good">always on</span>}
    </>
  );
}

function About({ row: { about, operation } }: OfRowProps) {
  const isOfAll = route.value.query['op'] === allOperations;
  return (
    <div class="about one-line" title={about}>
      {isOfAll && operation !== undefined && <strong>{operation}: </strong>}
      <Code text={about} />
    </div>
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

async function readText({ name }: Row, project: string | undefined): Promise<string> {
  return (await callApi<Schemas['Scenario']>('GET', scenarioPath(name, project))).text;
}

async function readUnmasked(row: Row, project: string | undefined): Promise<string> {
  const text = await readText(row, project);
  if (!text.includes('"***"')) return text;
  throw new Error(`The conditions of ${row.name} contain secrets, which are masked: activate your own text of it.`);
}
