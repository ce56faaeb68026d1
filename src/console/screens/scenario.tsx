/** The editor of one scenario: its text, with mistakes while the user types, and a form that adds rules. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../lib/format.ts';
import { download } from '../actions.ts';
import { ApiError, callApi, type Schemas, toMessage } from '../api.ts';
import { CodeEditor, type TextIssue } from '../parts/code.tsx';
import { confirmed } from '../parts/dialog.tsx';
import { IconAction, Loading } from '../parts/small.tsx';
import { isOfKey } from '../projects.ts';
import { choose, linkTo, route } from '../route.ts';
import {
  activate,
  drafts,
  keepDraft,
  nameOf,
  newText,
  openDraft,
  removeScenario,
  scenarioPath,
  starters,
  toEdited,
  withoutRules,
  withRule,
} from '../scenarios.ts';
import { attempt, chosenProject, notice } from '../state.ts';
import { useApi } from '../use-api.ts';
import { RuleForm } from './rule-form.tsx';

export default function ScenarioEditor() {
  // Of one that was not saved yet: `new`.
  const name = route.value.query['edit'] || 'new';
  const isNew = name === 'new';
  const project = chosenProject();
  const loaded = useApi<Schemas['Scenario']>(isNew ? undefined : scenarioPath(name, project), {
    // Of the library.
    reloadOn: ({ what }) => what === 'library',
  });
  // It may have been deleted since, on another page.
  const found = loaded.isMissing ? undefined : loaded.value;
  const opened = found && { ...found, text: toEdited(found.text) };
  const draft = drafts.value.get(name);
  const text = draft ?? opened?.text ?? (isNew ? newText(route.value.query['from']) : undefined);
  if (text !== undefined) return <Opened name={name} text={text} opened={opened} isChanged={draft !== undefined} />;
  const missing = `There is no scenario ${name}: it was deleted, or it is active in another project only.`;
  return (
    <>
      <h1>
        <a href={linkTo('scenarios')}>Scenarios</a> / {name}
      </h1>
      <Loading of={{ ...loaded, errorText: loaded.isMissing ? missing : loaded.errorText }} rows={12} />
    </>
  );
}

interface OpenedProps {
  readonly name: string;
  readonly text: string;
  /** The scenario as it was opened. */
  readonly opened: Schemas['Scenario'] | undefined;
  readonly isChanged: boolean;
}

function Opened({ name, text, opened, isChanged }: OpenedProps) {
  const project = chosenProject();
  const isNew = name === 'new';
  // The form replaces the rule that only shows what a text looks like.
  const isUntouched = isNew && !isChanged && !route.value.query['from'];
  const issues = useIssues(text);
  const [at, setAt] = useState<TextIssue>();
  const [refused, setRefused] = useState<{ readonly text: string; readonly what: string }>();
  const setText = (next: string): void => keepDraft(name, next === opened?.text ? undefined : next);

  const add = (rule: readonly string[]) =>
    attempt('', async () => setText(withRule(isUntouched ? withoutRules : text, rule)));

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
  const save = (): Promise<boolean> => send('Not saved', () => saveText(name, text));
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
          <RuleForm add={add} />
        </div>
        <div class="writing">
          <CodeEditor
            label="Scenario text"
            text={text}
            issues={issues ?? noIssues}
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

/** Saves a text in the library, and opens it there. What was typed meanwhile is kept. */
async function saveText(opened: string, text: string): Promise<void> {
  // If the text has no name, the parser reports that together with all other mistakes.
  const name = nameOf(text) || 'unnamed';
  if (name !== opened) await askToReplace(name, text);
  await callApi('PUT', scenarioPath(name), text, 'application/yaml');
  const typed = drafts.value.get(opened);
  const isOpen = route.value.screen === 'scenarios' && (route.value.query['edit'] || 'new') === opened;
  if (typed === undefined || typed === text || isOpen) {
    keepDraft(opened, undefined);
    keepDraft(name, typed === text ? undefined : typed);
  }
  if (isOpen && opened !== name) choose({ view: '', from: '', edit: name });
  notice('good', `Saved ${name}.`);
}

/**
 * Asks before a text replaces another one of the library that has its name.
 * @throws {Error} if the user keeps the other one
 */
async function askToReplace(name: string, text: string): Promise<void> {
  const other = await callApi<Schemas['Scenario']>('GET', scenarioPath(name)).catch(() => undefined);
  if (!other || other.source === 'catalog' || toEdited(other.text) === text) return;
  const question = { title: `Replace ${name}?`, text: 'Another scenario has this name.', action: 'Replace' };
  if (!(await confirmed(question))) throw new Error(`${name} exists already`);
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

function Head({ name, text, opened, isChanged, save, run }: HeadProps) {
  const source = opened?.source;
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
          <IconAction
            icon="download"
            label="Download"
            act={() => download(`${own || 'scenario'}.yaml`, 'application/yaml', text)}
          />
          <SaveButtons save={save} run={run} />
        </div>
      </div>
      <Note source={source} />
    </>
  );
}

/** An API key cannot change the library, nor activate for all projects. */
function SaveButtons({ save, run }: Pick<HeadProps, 'save' | 'run'>) {
  const project = chosenProject();
  const isOpen = !isOfKey() || project !== undefined;
  return (
    <>
      {!isOfKey() && (
        <button type="button" title="Ctrl+S" onClick={save}>
          Save
        </button>
      )}
      <button type="button" class="main" disabled={!isOpen} onClick={run}>
        {isOpen
          ? `${isOfKey() ? 'Activate' : 'Save and activate'} for ${project ?? 'all projects'}`
          : 'Select a project'}
      </button>
    </>
  );
}

/** What Save does to a scenario that is not stored. */
function Note({ source }: { readonly source: string | undefined }) {
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

interface IssuesProps {
  readonly issues: readonly TextIssue[] | undefined;
  /** What the sandbox refused because of them, such as `Not saved`; or an empty text. */
  readonly refused: string;
  readonly show: (issue: TextIssue) => void;
}

function Issues({ issues, refused, show }: IssuesProps) {
  const errors = issues?.filter(({ severity }) => severity === 'error').length ?? 0;
  const warnings = (issues?.length ?? 0) - errors;
  const parts = [errors > 0 && formatCount(errors, 'mistake'), warnings > 0 && formatCount(warnings, 'warning')];
  const found = [refused, parts.filter(Boolean).join(', ') || 'No mistakes'].filter((one) => one !== '').join(': ');
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
