/** The palette: every action and every id, by a few letters. The keys of the page open it and lead to the screens. */
import { useEffect, useState } from 'preact/hooks';
import { advance, logOut, type Report, rates, reported, resetAll, setClock, stateActions, steps } from '../actions.ts';
import { isLoginRequired, projectPath, type Schemas } from '../api.ts';
import { visible } from '../format.ts';
import { focusSearch } from '../keys.ts';
import { isLoggedIn, isOfKey, listProjects, openProject, shownProject } from '../projects.ts';
import { linkTo, route, type ScreenName } from '../route.ts';
import { activate, deactivate, openDraft, starters } from '../scenarios.ts';
import { screens } from '../screens.ts';
import { attempt, chosenProject, copyLink, notice, type Project, requestTotal } from '../state.ts';
import { chooseTheme, themeNames, themes } from '../theme.ts';
import { useApi } from '../use-api.ts';
import { type Choice, Choices, ranked } from './choices.tsx';
import { showDialog } from './dialog.tsx';
import { ErrorNote, Facts, type IconName } from './small.tsx';

export function showPalette(): void {
  void showDialog('palette', 'Commands', (close) => <Palette close={close} />);
}

/** How long the user pauses before the sandbox is asked. */
const pauseMs = 120;

function Palette({ close }: { readonly close: () => void }) {
  const project = chosenProject();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const asked = usePaused(text);
  const ofProject = (path: string): string | undefined => project && projectPath(project, path);
  const library = useApi<Schemas['ScenarioPage']>('/scenarios?limit=1000');
  const active = useApi<Schemas['ActiveScenarios']>(ofProject('/scenarios'));
  const clock = useApi<Schemas['Clock']>(ofProject('/clock'));
  const query = new URLSearchParams({ q: asked.slice(0, 200), limit: '12', ...(project && { project }) });
  const search = useApi<Schemas['SearchResults']>(asked === '' ? undefined : `/search?${query}`);
  const found = text === '' ? [] : (search.value?.items ?? []).map(toChoice);
  const actions = actionsOf({
    library: library.value?.items ?? [],
    active: active.value?.scenarios ?? [],
    mode: clock.value?.mode,
  });
  // An id that was typed in full comes before the actions.
  const exact = found.filter(({ title }) => title.toLowerCase() === text.toLowerCase());
  const others = found.filter((one) => !exact.includes(one));
  const choices =
    text === ''
      ? // There may be hundreds of projects and scenarios.
        actions.filter(({ group }) => group !== 'Switch project' && group !== 'Scenarios')
      : [...exact, ...ranked(actions, text), ...others, ...direct(text, project)];
  return (
    <>
      <Choices
        label="Search or run a command"
        placeholder="Search ids, or run a command…"
        choices={choices}
        onText={setTyped}
        onChoose={close}
        isSearching={text !== asked || (asked !== '' && !search.isCurrent)}
      />
      <ErrorNote text={search.errorText && `Cannot search: ${search.errorText}`} />
      <ErrorNote text={library.errorText && `Cannot load the scenarios: ${library.errorText}`} />
    </>
  );
}

/** Returns the text once the user pauses. */
function usePaused(text: string): string {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), text === '' ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return asked;
}

interface Known {
  readonly library: readonly { readonly name: string }[];
  /** The names of the scenarios that are active for the project. */
  readonly active: readonly string[];
  /** Undefined until it is loaded. */
  readonly mode: Schemas['Clock']['mode'] | undefined;
}

/** Title, icon, further words that find the action, what it runs, and what else its line shows. */
type Action = readonly [
  title: string,
  icon: IconName,
  words: string,
  run: () => unknown,
  more?: Partial<Pick<Choice, 'hint' | 'isCurrent' | 'isDanger'>>,
];

/** Returns the actions for the current view. */
function actionsOf({ library, active, mode }: Known): readonly Choice[] {
  const project = chosenProject();
  const others = projectChoices().filter(({ isCurrent }) => !isCurrent);
  const inProject = (group: string, actions: (id: string) => readonly Action[]): readonly Choice[] =>
    project === undefined ? [] : toChoices(group, actions(project));
  return [
    ...toChoices('Go to', [...Object.keys(screens).flatMap(goTo), ...tabs()]),
    ...inProject(`Project ${project}`, (id) => [...clockActions(id, mode), ...stateActions(id).map(toAction)]),
    ...toChoices('New scenario', [
      ['New scenario', 'plus', 'create failure rule', () => openDraft('')],
      ...starters.map(({ name: from, title, words }): Action => {
        return [`New scenario: ${title}`, 'flask-conical', words, () => openDraft('', from)];
      }),
    ]),
    ...others.map((choice) => ({ ...choice, group: 'Switch project', words: 'project switch' })),
    ...inProject('Scenarios', (id) => library.map(({ name }) => toggle(id, name, active.includes(name)))),
    ...toChoices('Page', pageActions()),
    ...toChoices('Sandbox', sandboxActions()),
  ];
}

function toChoices(group: string, actions: readonly Action[]): readonly Choice[] {
  return actions.map(([title, icon, words, run, more]) => {
    return { key: `${group} ${title}`, group, title, icon, words, run, ...more };
  });
}

/** Returns all projects as choices. */
export function projectChoices(): readonly Choice[] {
  const { recent, others } = listProjects();
  const rest = recent.length === 0 ? 'Projects' : 'Other projects';
  return [
    projectChoice('Projects', '', 'layers', 'All projects'),
    ...recent.map((one) => ({ ...projectChoice('Recent', one.id), hint: countOf(one) })),
    ...others.map((one) => ({ ...projectChoice(rest, one.id), hint: countOf(one) })),
  ];
}

/** The number of requests; of the shown project, with the rejected keys that its list has. */
function countOf({ id, counts: { requests } }: Project): string {
  const { project, count } = requestTotal.value ?? { count: requests };
  return (project === id ? count : requests).toLocaleString('en');
}

export function projectChoice(group: string, id: string, icon: IconName = 'box', title: string = visible(id)): Choice {
  const isCurrent = id === shownProject();
  return { key: `project ${id}`, group, title, icon, isCurrent, run: () => openProject(id) };
}

const go = (href: string) => () => {
  location.hash = href;
};

function goTo(name: string): readonly Action[] {
  const { title, icon, letter, words = '' } = screens[name as ScreenName];
  if (letter === undefined) return [];
  const isCurrent = route.value.screen === name;
  const all = `go to open ${name} ${words}`;
  return [[title, icon, all, go(linkTo(name as ScreenName)), { hint: `g ${letter}`, isCurrent }]];
}

/** Tabs that users look for by name. */
function tabs(): readonly Action[] {
  return [
    ['Problems', 'shield-check', 'quality warnings', go(linkTo('quality'))],
    ['Coverage', 'shield-check', 'quality failures', go(linkTo('quality', { tab: 'coverage' }))],
    ['Callback endpoint', 'webhook', 'receiver url secret', go(linkTo('callbacks', { view: 'endpoint' }))],
    // Before the reset of all projects.
    ...(chosenProject() === undefined
      ? [['Reset a project…', 'box', 'delete clear', go(linkTo('clock'))] as const]
      : []),
  ];
}

/** Only a frozen clock advances; a running one is frozen first. */
function clockActions(project: string, mode: Known['mode']): readonly Action[] {
  const set = (title: string, icon: IconName, words: string, change: Schemas['ClockChange']): Action => {
    return [title, icon, words, shown(() => setClock(project, change))];
  };
  const advances = steps.map(({ title, words, body }): Action => {
    const action = mode === 'real' ? words.replace('Advance', 'Freeze and advance') : words;
    const move = async () => {
      if (mode === 'real') await setClock(project, { mode: 'frozen' });
      return advance(project, body);
    };
    return [action, 'fast-forward', title, shown(move)];
  });
  return [
    set('Freeze the clock', 'snowflake', 'stop time', { mode: 'frozen' }),
    ...(mode === undefined ? [] : advances),
    set('Resume the clock', 'play', 'run time', { mode: 'real' }),
    ...rates.map((rate) => set(`Run the clock at ${rate}×`, 'timer', `rate speed ${rate}x`, { mode: 'real', rate })),
  ];
}

function toAction({ title, icon, words, isDanger = false, run }: ReturnType<typeof stateActions>[number]): Action {
  return [title, icon, words, shown(run), { isDanger }];
}

const shown = (action: () => Promise<Report | undefined>) => async (): Promise<void> => {
  const report = await reported(action);
  if (report) notice(report.kind === 'good' ? 'good' : 'bad', report.lines.join(' '));
};

function toggle(project: string, name: string, isActive: boolean): Action {
  const done = `${name} is ${isActive ? 'off' : 'active'}.`;
  const run = () => attempt(done, () => (isActive ? deactivate : activate)(project, name));
  return [`${isActive ? 'Deactivate' : 'Activate'} scenario ${name}`, 'flask-conical', 'on off failure', run];
}

export function pageActions(): readonly Action[] {
  return [
    ['Copy link to this view', 'link', 'url share', copyLink],
    ...themeNames.map((name): Action => [`Theme: ${name}`, themes[name], 'color mode', () => chooseTheme(name)]),
    ['Keyboard help', 'keyboard', 'keys shortcuts', showHelp, { hint: '?' }],
  ];
}

/** What concerns all projects, and the session. */
function sandboxActions(): readonly Action[] {
  return [
    ...(isOfKey() ? [] : [toAction(resetAll)]),
    ...(isLoggedIn() ? [['Log out', 'log-out', 'session end sign', logOut] as const] : []),
  ];
}

type Found = Schemas['SearchResult'];

const icons: Readonly<Record<Found['kind'], IconName>> = {
  record: 'database',
  entity: 'search',
  request: 'list',
  callback: 'webhook',
  scenario: 'flask-conical',
  project: 'box',
};

/** Returns links that need no search: the text may be an id, or part of a request. */
function direct(text: string, project: string | undefined): readonly Choice[] {
  const at = project === undefined ? {} : { project };
  const requests = [`Search requests for “${text}”`, 'search', '', go(linkTo('live', { ...at, q: text }))] as const;
  const events = [`Events of ${text}`, 'rotate-ccw-clock', '', go(linkTo('entity', { ...at, id: text }))] as const;
  return toChoices('Search', project === undefined ? [requests] : [requests, events]);
}

function toChoice(found: Found): Choice {
  const { kind, id, project, collection } = found;
  const about = [kind === 'entity' ? 'not stored' : (collection ?? kind), project];
  return {
    ...{ key: `found ${kind} ${project} ${collection} ${id}`, group: 'Found', title: visible(id), icon: icons[kind] },
    hint: about.filter((one) => one !== undefined).join(' · '),
    run: go(toLink(found)),
  };
}

function toLink({ kind, id, project }: Found): string {
  // Without a project of its own, such as a shipped scenario, it is shown in the chosen one.
  const at = project === undefined ? {} : { project };
  if (kind === 'request') return linkTo('live', { ...at, request: id });
  if (kind === 'callback') return linkTo('callbacks', { ...at, callback: id });
  if (kind === 'scenario') return linkTo('scenarios', { ...at, view: 'editor', edit: id });
  return kind === 'project' ? linkTo('live', { project: id }) : linkTo('entity', { ...at, id });
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
/** The key that opens the palette together with K. */
export const modifier = isMac ? '⌘' : 'Ctrl';

type Row = readonly [keys: readonly string[], action: string];

const everywhere: readonly Row[] = [
  [[modifier, 'K'], 'Search or run a command'],
  [['/'], 'Search or filter the screen'],
  [['?'], 'Show this help'],
  [['Esc'], 'Close what is open'],
];
const inLists: readonly Row[] = [
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
];

export function showHelp(): void {
  const rows = Object.values(screens).flatMap(({ title, letter }): readonly Row[] =>
    letter === undefined ? [] : [[['g', letter], title]],
  );
  const section = (title: string, all: readonly Row[]) => (
    <section>
      <h3>{title}</h3>
      <Facts look="" of={all.map(([keys, action]) => [action, keys.map((key) => <kbd key={key}>{key}</kbd>)])} />
    </section>
  );
  void showDialog('help', 'Keyboard help', (close) => (
    <div class="column">
      <div class="row">
        <h2>Keyboard</h2>
        <button type="button" class="push" onClick={() => close()}>
          Close
        </button>
      </div>
      <div class="keys">
        {section('Everywhere', everywhere)}
        {section('In lists', inLists)}
        {section('Go to', rows)}
      </div>
      <p>Single letters work while no field has the focus.</p>
    </div>
  ));
}

/** How long the second key of `g`, then a letter, may take. */
const sequenceMs = 1500;

/** Starts to listen for keys that work on every screen, except while the user types in a field. Call it once. */
export function startKeys(): void {
  /** Until when a letter belongs to the `g` before it. */
  let until = 0;
  document.addEventListener('keydown', (event) => {
    const { key, timeStamp } = event;
    const isPalette = isPaletteKey(event);
    if (!isPalette && !isFree(event)) return;
    const isGoing = timeStamp < until;
    until = key === 'g' && !isGoing ? timeStamp + sequenceMs : 0;
    const done = isPalette ? openOnce() : isGoing ? goByLetter(key) : press(key);
    if (done) event.preventDefault();
  });
}

/** Cmd+K, or Ctrl+K. */
function isPaletteKey({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return (metaKey || ctrlKey) && !shiftKey && !altKey && key.toLowerCase() === 'k';
}

/** Whether a key belongs to no field, no open dialog or menu, and no shortcut of the browser. */
function isFree(event: KeyboardEvent): boolean {
  const { metaKey, ctrlKey, altKey, defaultPrevented } = event;
  // Also in a shadow root, such as that of the editor of scenarios.
  const [target] = event.composedPath();
  if (metaKey || ctrlKey || altKey || defaultPrevented || !(target instanceof HTMLElement)) return false;
  const isField = target.matches('input, textarea, select') || target.isContentEditable;
  return !isField && document.querySelector('dialog[open], [popover]:popover-open') === null;
}

function openOnce(): boolean {
  if (!isLoginRequired.value && !document.querySelector('dialog[open]')) showPalette();
  return true;
}

function goByLetter(letter: string): boolean {
  const found = Object.entries(screens).find(([, screen]) => screen.letter === letter);
  if (found) location.hash = linkTo(found[0] as ScreenName);
  return found !== undefined;
}

function press(key: string): boolean {
  if (key === '?') showHelp();
  return key === '/' ? focusSearch() : key === '?';
}
