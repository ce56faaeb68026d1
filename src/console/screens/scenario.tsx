/** The editor of one scenario: its text, with mistakes while the user types, a form that adds rules, and what it did. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../lib/format.ts';
import { ApiError, callApi, projectPath, type Schemas, toMessage } from '../api.ts';
import { CodeEditor, type Schema, type TextIssue } from '../parts/code.tsx';
import { download } from '../parts/download.ts';
import { ErrorNote, IconAction, RowIds, Skeleton, Status } from '../parts/small.tsx';
import { choose, linkTo, route } from '../route.ts';
import {
  activate,
  drafts,
  keepDraft,
  nameOf,
  newText,
  openDraft,
  removeScenario,
  rename,
  starters,
  withoutRules,
  withRule,
} from '../scenarios.ts';
import { access, attempt, chosenProject, isOf, notice, projects } from '../state.ts';
import { useApi } from '../use-api.ts';

interface EditorProps {
  /** Name of the opened scenario; `new` for one that was not saved yet. */
  readonly name: string;
}

export function ScenarioEditor({ name }: EditorProps) {
  const isNew = name === 'new';
  const opened = useOpened(name);
  const draft = drafts.value.get(name);
  const text = draft ?? opened.text ?? (isNew ? newText(route.value.query['from']) : undefined);
  if (text !== undefined) return <Opened name={name} text={text} opened={opened} isChanged={draft !== undefined} />;
  const missing = `There is no scenario ${name}: it was deleted, or it is active in another project only.`;
  return (
    <>
      <h1>
        <a href={linkTo('scenarios')}>Scenarios</a> / {name}
      </h1>
      {opened.isMissing ? <ErrorNote text={missing} /> : <ErrorNote text={opened.errorText} />}
      {!opened.isMissing && opened.errorText === '' && <Skeleton rows={12} />}
    </>
  );
}

/** A scenario as it was opened. */
interface Stored {
  readonly text: string | undefined;
  /** Undefined for a new one; `inline` if it is active without being in the library. */
  readonly source: string | undefined;
  readonly isMissing: boolean;
  readonly errorText: string;
  readonly reload: () => void;
}

/** Loads a scenario of the library, or else one that is active in the project. */
function useOpened(name: string): Stored {
  const project = chosenProject();
  const path = `/scenarios/${encodeURIComponent(name)}`;
  const library = useApi<Schemas['Scenario']>(name === 'new' ? undefined : path, {
    reloadOn: (event) => event.kind === 'change' && event.what === 'library',
  });
  const isInline = library.isMissing && project !== undefined;
  const inline = useApi<object>(isInline ? projectPath(project, path) : undefined);
  const { reload } = library;
  if (!library.isMissing) {
    const { text, source } = library.value ?? {};
    return { text, source, isMissing: false, errorText: library.errorText, reload };
  }
  const text = inline.value && JSON.stringify(inline.value, null, 2);
  const isMissing = !isInline || inline.isMissing;
  return { text, source: 'inline', isMissing, errorText: isMissing ? '' : inline.errorText, reload };
}

interface OpenedProps extends EditorProps {
  readonly text: string;
  readonly opened: Stored;
  readonly isChanged: boolean;
}

function Opened({ name, text, opened, isChanged }: OpenedProps) {
  const project = chosenProject();
  const isNew = name === 'new';
  // The form replaces the rule that only shows what a text looks like.
  const isUntouched = isNew && !isChanged && !route.value.query['from'];
  const { value: schema } = useApi<Schema>('/scenario.schema.json');
  const issues = useIssues(text);
  const [at, setAt] = useState<TextIssue>();
  const [refused, setRefused] = useState<{ readonly text: string; readonly what: string }>();
  const setText = (next: string): void => keepDraft(name, next === opened.text ? undefined : next);

  /** Runs a change of this text. If the sandbox rejects the text, the list of mistakes says why. */
  const send = async (what: string, action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action();
      return true;
    } catch (error) {
      setRefused({ text, what });
      const first = issues?.find(({ severity }) => severity === 'error');
      if (first) setAt({ ...first });
      else notice('bad', `${what}: ${toMessage(error)}`);
      return false;
    }
  };
  const save = (): Promise<boolean> => send('Not saved', () => saveText(name, text, opened.reload));
  const run = (): Promise<boolean> =>
    send('Not activated', async () => {
      const own = nameOf(text) || 'unnamed';
      if (isOfKey()) await activate(project, own, text);
      else if (await save()) await activate(project, own);
      else return;
      notice('good', `Activated ${own} for ${project ?? 'all projects'}.`);
    });
  return (
    <>
      <Head name={name} text={text} opened={opened} isChanged={isChanged} save={save} run={run} />
      <div class="editing">
        <div class="column">
          {isNew && <Starters />}
          <RuleForm add={(rule) => setText(withRule(isUntouched ? withoutRules : text, rule))} />
          {!isNew && project !== undefined && <Activity key={name} project={project} name={name} />}
        </div>
        <div class="writing">
          <CodeEditor
            label="Scenario text"
            text={text}
            issues={issues ?? noIssues}
            schema={schema}
            onText={setText}
            onSave={save}
            at={at}
          />
          <Issues issues={issues} refused={refused?.text === text ? refused.what : ''} show={setAt} />
        </div>
      </div>
    </>
  );
}

const noIssues: readonly TextIssue[] = [];

function isOfKey(): boolean {
  return access.value?.admin === false;
}

/** Saves a text in the library, and opens it there. What was typed meanwhile is kept. */
async function saveText(opened: string, text: string, reload: () => void): Promise<void> {
  // If the text has no name, the parser reports that together with all other mistakes.
  const name = nameOf(text) || 'unnamed';
  await callApi('PUT', `/scenarios/${encodeURIComponent(name)}`, text, 'application/yaml');
  const typed = drafts.value.get(opened);
  const isOpen = route.value.screen === 'scenarios' && (route.value.query['edit'] || 'new') === opened;
  if (typed === undefined || typed === text || isOpen) {
    keepDraft(opened, undefined);
    keepDraft(name, typed === text ? undefined : typed);
  }
  if (isOpen && opened !== name) choose({ view: '', from: '', edit: name });
  reload();
  notice('good', `Saved ${name}.`);
}

/** Checks a text with the sandbox's own parser after a pause in typing. Undefined until the first result. */
function useIssues(text: string): readonly TextIssue[] | undefined {
  const [issues, setIssues] = useState<readonly TextIssue[]>();
  const isFirst = useRef(true);
  useEffect(() => {
    let isLatest = true;
    const timer = setTimeout(
      () => findIssues(text).then((found) => isLatest && setIssues(found)),
      isFirst.current ? 0 : 200,
    );
    isFirst.current = false;
    return () => {
      isLatest = false;
      clearTimeout(timer);
    };
  }, [text]);
  return issues;
}

async function findIssues(text: string): Promise<readonly TextIssue[]> {
  try {
    const found = await callApi<Schemas['ScenarioCheck']>('POST', '/scenario-checks', text, 'application/yaml');
    return [
      ...found.errors.map((one) => ({ ...one, severity: 'error' as const })),
      ...found.warnings.map((one) => ({ ...one, severity: 'warning' as const })),
    ];
  } catch (error) {
    const why = error instanceof ApiError && error.errors[0] ? error.errors[0].message : toMessage(error);
    return [{ line: 1, column: 1, message: `not checked: ${why}`, severity: 'warning' }];
  }
}

interface HeadProps extends OpenedProps {
  readonly save: () => unknown;
  readonly run: () => unknown;
}

function Head({ name, text, opened: { source }, isChanged, save, run }: HeadProps) {
  const project = chosenProject();
  const isNew = name === 'new';
  const own = nameOf(text);
  const remove = async (): Promise<void> => {
    if (!(await removeScenario(name))) return;
    // Its text is kept, so that nothing is lost.
    keepDraft('new', text);
    choose({ edit: 'new' });
  };
  return (
    <>
      <div class="row">
        <h1>
          <a href={linkTo('scenarios')}>Scenarios</a> / {isNew ? 'New scenario' : name}
        </h1>
        {source !== undefined && <span class="chip quiet">{source === 'control' ? 'own' : source}</span>}
        {(isNew || isChanged) && <span class="chip warn">not saved</span>}
        {isChanged && (
          <button type="button" class="plain" onClick={() => keepDraft(name, undefined)}>
            Discard changes
          </button>
        )}
        <div class="row push">
          {source === 'control' && !isOfKey() && <IconAction icon="trash" label="Delete" act={remove} />}
          {!isNew && (
            <IconAction icon="copy" label="Duplicate" act={() => openDraft(rename(text, `${own}-copy`.slice(0, 64)))} />
          )}
          <IconAction
            icon="download"
            label="Download"
            act={() => download(`${own || 'scenario'}.yaml`, 'application/yaml', text)}
          />
          <SaveButtons project={project} save={save} run={run} />
        </div>
      </div>
      <Note source={source} />
    </>
  );
}

interface SaveButtonsProps extends Pick<HeadProps, 'save' | 'run'> {
  readonly project: string | undefined;
}

/** An API key cannot change the library, nor activate for all projects. */
function SaveButtons({ project, save, run }: SaveButtonsProps) {
  if (isOfKey() && project === undefined) {
    return (
      <select aria-label="Project" onChange={({ currentTarget }) => choose({ project: currentTarget.value })}>
        <option value="">Select a project to activate it</option>
        {projects.value?.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    );
  }
  return (
    <>
      {!isOfKey() && (
        <button type="button" title="Ctrl+S" onClick={save}>
          Save
        </button>
      )}
      <button type="button" class="main" onClick={run}>
        {isOfKey() ? 'Activate' : 'Save and activate'} for {project ?? 'all projects'}
      </button>
    </>
  );
}

function Note({ source }: Pick<Stored, 'source'>) {
  if (isOfKey() || source === undefined || source === 'control') return null;
  return (
    <p class="quiet">
      {source === 'inline'
        ? 'It was activated inline: the library does not have it. Save adds it. Secrets in conditions are masked.'
        : 'Your saved version takes precedence over the file. The file is not changed.'}
    </p>
  );
}

function Starters() {
  const { from } = route.value.query;
  return (
    <div class="row" role="group" aria-label="Start with">
      <span class="quiet">Start with</span>
      {starters.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === from && !drafts.value.has('new')}
          onClick={() => openDraft('', name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

const entryChoices = { '1': '1st', '2': '2nd', '3': '3rd', every: 'every', id: 'by id' };
const timesChoices = { '': 'every request', '1': 'only the next one', '3': 'the next three' };

/** Adds a rule to the text: which requests, which of their entries, and what happens to them. */
function RuleForm({ add }: { readonly add: (rule: readonly string[]) => void }) {
  const { value, errorText } = useApi<Schemas['Catalog']>('/catalog');
  const [operation, setOperation] = useState('asyncImportJobs');
  const [kind, setKind] = useState('failed-downstream');
  const [entry, setEntry] = useState('1');
  const [times, setTimes] = useState('');
  const [ids, setIds] = useState('');
  if (!value) return errorText === '' ? <Skeleton rows={4} /> : <ErrorNote text={errorText} />;
  const failures = value.items.find((one) => one.operation === operation)?.failures ?? [];
  const chosen = failures.find((one) => one.kind === kind) ?? failures[0];
  if (!chosen) return null;
  const operations = Object.fromEntries(value.items.map((one) => [one.operation, one.operation]));
  const kinds = Object.fromEntries(failures.map((one) => [one.kind, `${one.kind}: ${one.about}`]));
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const item = chosen.ofEntries ? `, item: ${toItem(entry, ids)}` : '';
    add([
      `when: { operation: ${operation}${item} }`,
      ...(times === '' ? [] : [`times: ${times}`]),
      `then: ${chosen.effect}`,
    ]);
  };
  return (
    <form class="card column" aria-label="Add a rule" onSubmit={submit}>
      <h2>Add a rule</h2>
      <Choice label="Operation" value={operation} options={operations} set={setOperation} />
      <Choice label="What happens" value={chosen.kind} options={kinds} set={setKind} />
      {chosen.ofEntries && <Choice label="Entry" value={entry} options={entryChoices} set={setEntry} />}
      {chosen.ofEntries && entry === 'id' && (
        <label class="field">
          Ids of entries
          <input
            required
            placeholder="J-1, VIP-*"
            autocomplete="off"
            spellcheck={false}
            value={ids}
            onInput={({ currentTarget }) => setIds(currentTarget.value)}
          />
        </label>
      )}
      <Choice label="Requests" value={times} options={timesChoices} set={setTimes} />
      <div>
        <button type="submit">Add to the text</button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** The titles by value. */
  readonly options: Readonly<Record<string, string>>;
  readonly set: (value: string) => void;
}

function Choice({ label, value, options, set }: ChoiceProps) {
  const id = useId();
  return (
    <div class="form-field">
      <label class="field" for={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {Object.entries(options).map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

function toItem(entry: string, ids: string): string {
  if (entry === 'every') return '{ every: 1 }';
  if (entry !== 'id') return entry;
  const all = ids.split(',').map((one) => JSON.stringify(one.trim()));
  return `{ id: ${all.length === 1 ? all[0] : `[${all.join(', ')}]`} }`;
}

interface IssuesProps {
  readonly issues: readonly TextIssue[] | undefined;
  /** What the sandbox refused because of them, such as `Not saved`; or an empty text. */
  readonly refused: string;
  readonly show: (issue: TextIssue) => void;
}

function Issues({ issues, refused, show }: IssuesProps) {
  const errors = issues?.filter(({ severity }) => severity === 'error').length ?? 0;
  const warnings = (issues?.length ?? 0) - errors;
  const parts = [
    ...(errors > 0 ? [formatCount(errors, 'mistake')] : []),
    ...(warnings > 0 ? [formatCount(warnings, 'warning')] : []),
  ];
  const found = parts.length === 0 ? 'No mistakes' : `${refused === '' ? '' : `${refused}: `}${parts.join(', ')}`;
  return (
    <div class="issues">
      <p role="status">{issues === undefined ? 'Checking…' : found}</p>
      <ul aria-label="Mistakes and warnings">
        {issues?.map((issue, index) => (
          <li key={index}>
            <button type="button" class="plain" onClick={() => show({ ...issue })}>
              <span class="mono quiet">
                {issue.line}:{issue.column}
              </span>{' '}
              <span class={issue.severity === 'error' ? 'bad' : 'warn'}>{issue.message}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const shownRequests = 8;

/** What the scenario did: how often each of its rules fired, and the last requests on which one did. */
function Activity({ project, name }: { readonly project: string; readonly name: string }) {
  const options = { reloadOn: (event: Parameters<typeof isOf>[0]) => event.kind !== 'records' && isOf(event, project) };
  const query = `view=rows&order=newest&limit=${shownRequests}&counts=true&scenario=${encodeURIComponent(name)}`;
  const active = useApi<Schemas['ActiveScenarios']>(projectPath(project, '/scenarios'), options);
  const requests = useApi<Schemas['RequestRowPage']>(projectPath(project, `/requests?${query}`), options);
  const rules = active.value?.rules.filter(({ scenario }) => scenario === name) ?? [];
  const isOwn = active.value?.scenarios.includes(name) ?? false;
  const { items = [], counts } = requests.value ?? {};
  const arm = () => attempt(`${name} is armed again.`, () => activate(project, name));
  return (
    <section class="card column" aria-label="Activity">
      <div class="row">
        <h2>Activity in {project}</h2>
        {isOwn && (
          <button type="button" class="push" onClick={arm}>
            Arm again
          </button>
        )}
      </div>
      <ErrorNote text={active.errorText || requests.errorText} />
      {active.value && rules.length === 0 && <p class="quiet">Not active. Its rules do not fire.</p>}
      {rules.length > 0 && !isOwn && <p class="quiet">Active for all projects.</p>}
      <ul class="plain">
        {rules.map(({ rule, met, acted, left }) => (
          <li key={rule} class="row">
            <span>{rule}</span>
            <span class="quiet">
              fired {acted} of {met} matched
            </span>
            {left !== null && <span class="chip quiet">{left === 0 ? 'used up' : `${left} left`}</span>}
          </li>
        ))}
      </ul>
      <ul class="plain">
        {items.map(({ id, at, operation, method, path, status, ids, idCount }) => (
          <li key={id} class="row">
            <a href={linkTo('live', { request: id })}>{operation ?? `${method} ${path}`}</a>
            <Status status={status} />
            <span class="quiet">{at.slice(11, 19)}</span>
            <RowIds ids={ids} idCount={idCount} />
          </li>
        ))}
      </ul>
      {counts && counts.total > items.length && (
        <a href={linkTo('live', { project, scenario: name })}>All {counts.total.toLocaleString('en')} requests</a>
      )}
    </section>
  );
}
