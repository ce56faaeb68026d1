/** The screen Scenarios: everything that can fail on purpose in one list, what is active, and what it did. */
import type { ComponentChildren } from 'preact';
import { callApi, projectPath, type Schemas } from '../api.ts';
import { Filters, NoMatches } from '../parts/filters.tsx';
import { Lazy } from '../parts/lazy.tsx';
import { Card, Code, Copy, ErrorNote, Icon, IconAction, Loading } from '../parts/small.tsx';
import { PlainTable } from '../parts/table.tsx';
import { isOfKey } from '../projects.ts';
import { choose, linkTo, route } from '../route.ts';
import { activate, deactivate, drafts, nameOf, openDraft, removeScenario, scenarioPath } from '../scenarios.ts';
import { attempt, chosenProject, of } from '../state.ts';
import { useApi } from '../use-api.ts';

type Row = Schemas['ScenarioRow'];

/** Maximum number of failures that are shown: those of all operations are some hundreds. */
const maxShown = 200;

const defaultOperation = 'asyncImportJobs';
const allOperations = 'all';

export default function ScenariosScreen() {
  const { edit = '', view = '' } = route.value.query;
  if (edit !== '' || view === 'editor') return <Lazy key={edit} load={loadEditor} />;
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

function isFailure({ source }: Row): boolean {
  return source === 'catalog';
}

function ScenarioList() {
  const project = chosenProject();
  const { q = '', op = defaultOperation } = route.value.query;
  const query = new URLSearchParams({
    ...{ view: 'rows', limit: '1000' },
    ...(project !== undefined && { project }),
    ...(op !== allOperations && { operation: op }),
  });
  const loaded = useApi<Schemas['ScenarioRowPage']>(`/scenarios?${query}`, {
    reloadOn: of(project ?? ''),
    kept: project ?? '',
  });
  const { value, errorText } = loaded;
  if (!value) return <Loading of={loaded} rows={12} />;
  const words = q.toLowerCase();
  const rows = value.items.filter((row) => textOf(row).includes(words));
  return (
    <>
      <ErrorNote text={errorText} />
      {project !== undefined && <Active project={project} rows={value.items} />}
      <div class="row filters">
        <Filters label="Search scenarios" placeholder="Name, effect, operation or id" />
      </div>
      {rows.length === 0 && <NoMatches />}
      {value.next !== undefined && (
        <p class="quiet">Only the first {value.items.length.toLocaleString('en')} are listed: choose one operation.</p>
      )}
      <Rows title="Scenarios" rows={rows.filter((row) => !isFailure(row))} />
      <Rows title="Single failures" rows={rows.filter(isFailure)}>
        <Operations chosen={op} />
      </Rows>
    </>
  );
}

function textOf({ name, title, about, operation, magicId, header, source }: Row): string {
  return [name, title, about, operation, magicId, header, sourceTitles[source] ?? source].join(' ').toLowerCase();
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

/** What is active in the project, with the counts of each rule. The first rule that matches decides. */
function Active({ project, rows }: { readonly project: string; readonly rows: readonly Row[] }) {
  // Unused magic ids would hide the rest.
  const shown = rows
    .map((row) => (row.active.includes('always') ? { ...row, rules: row.rules.filter(({ acted }) => acted > 0) } : row))
    .filter(({ active, rules }) => active.length > 0 && (rules.length > 0 || !active.includes('always')));
  const own = shown.filter(({ active }) => active.includes('project'));
  const clear = () => callApi('PUT', projectPath(project, '/scenarios'), { scenarios: [] });
  return (
    <Card
      title={`Active in ${project}`}
      beside={
        own.length > 1 && (
          <button type="button" class="plain" onClick={() => attempt('Deactivated all scenarios.', clear)}>
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
            'Fired since armed': ({ rule, name }) => rule && <FiredLink count={rule.acted} name={name} />,
            Left: ({ rule }) => rule && <Left of={rule.left} />,
            Actions: ({ name, active, isFirst }) =>
              isFirst &&
              active.includes('project') && (
                <span class="nowrap">
                  <button
                    type="button"
                    onClick={() => attempt(`${name} is armed again.`, () => activate(project, name))}
                  >
                    Arm again
                  </button>{' '}
                  <IconAction
                    icon="x"
                    label={`Deactivate ${name}`}
                    act={() => attempt('', () => deactivate(project, name))}
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

function FiredLink({ count, name }: { readonly count: number; readonly name: string }) {
  if (count === 0) return <span class="quiet">0</span>;
  return <a href={linkTo('live', { project: chosenProject() ?? '', scenario: name })}>{count.toLocaleString('en')}</a>;
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

const isDeletable = ({ source }: Row): boolean => source === 'control' && !isOfKey();

interface RowsProps {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Shown beside the title. */
  readonly children?: ComponentChildren;
}

function Rows({ title, rows, children }: RowsProps) {
  if (rows.length === 0 && !children) return null;
  const project = chosenProject();
  const { op = defaultOperation } = route.value.query;
  const toggle = (row: Row, of: string | undefined, isOn: boolean) =>
    attempt('', async () => {
      if (isOn) await deactivate(of, row.name);
      else await activate(of, row.name, row.source === 'inline' ? await readUnmasked(row) : undefined);
    });
  const switchOf = (row: Row, of: string | undefined) => {
    const isOn = row.active.includes(of === undefined ? 'server' : 'project');
    const label = `${row.name} for ${of ?? 'all projects'}`;
    return (
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={isOn}
        aria-label={label}
        onClick={() => toggle(row, of, isOn)}
      />
    );
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
          rows={rows}
          max={maxShown}
          columns={{
            Name: (row) => <Name row={row} />,
            'What happens': ({ about, operation }) => (
              <div class="about one-line" title={about}>
                {operation !== undefined && operation !== op && <strong>{operation}: </strong>}
                <Code text={about} />
              </div>
            ),
            'For one request': ({ magicId, header }) => (
              <span class="nowrap">
                {magicId !== undefined && <Copy label={`Copy id ${magicId}`} text={magicId} shown={magicId} />}{' '}
                {header !== undefined && <Copy label={`Copy header ${header}`} text={header} shown="header" />}
              </span>
            ),
            Fired: ({ fired, name }) => <FiredLink count={fired} name={name} />,
            ...(project !== undefined && { [`For ${project}`]: (row: Row) => switchOf(row, project) }),
            ...(!isOfKey() && { 'All projects': (row: Row) => switchOf(row, undefined) }),
            ...(rows.some(isDeletable) && {
              Actions: (row: Row) =>
                isDeletable(row) && (
                  <IconAction icon="trash" label={`Delete ${row.name}`} act={() => removeScenario(row.name)} />
                ),
            }),
          }}
        />
      )}
    </section>
  );
}

const sourceTitles: Readonly<Partial<Record<Row['source'], string>>> = {
  folder: 'from a folder',
  option: 'from an option',
  control: 'own',
  inline: 'inline',
};

function Name({ row }: { readonly row: Row }) {
  const { name, title, source, active } = row;
  // A failure of the catalog opens as a new scenario.
  const open = (event: Event): void => {
    if (source !== 'catalog') return;
    event.preventDefault();
    void attempt('', async () => openDraft(await readText(row)));
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

async function readText({ name }: Row): Promise<string> {
  return (await callApi<Schemas['Scenario']>('GET', scenarioPath(name, chosenProject()))).text;
}

async function readUnmasked(row: Row): Promise<string> {
  const text = await readText(row);
  if (!text.includes('"***"')) return text;
  throw new Error(`The conditions of ${row.name} contain secrets, which are masked: activate your own text of it.`);
}
