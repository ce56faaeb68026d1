/** Every action of the palette, besides what a search finds. */
import { advance, rates, setClock, steps } from '../actions/clock.ts';
import { logOut, mayLogOut } from '../actions/log-out.ts';
import {
  chooseSnapshot,
  downloadRecording,
  downloadSnapshot,
  fork,
  type Report,
  reported,
  resetAllProjects,
  resetProject,
} from '../actions/project.ts';
import { isOfKey } from '../data/access.ts';
import { linkTo, route, type ScreenName } from '../data/route.ts';
import { chooseTheme, themes } from '../data/theme.ts';
import { copyLink } from '../frame/copy-link.ts';
import { projectChoices } from '../frame/project-menu.ts';
import { themeIcons } from '../frame/theme-icons.ts';
import type { Choice } from '../parts/choice-list.ts';
import { chosenProject } from '../parts/choose-project.ts';
import type { IconName } from '../parts/icon.ts';
import { attempt, notice } from '../parts/notices.ts';
import { activate, deactivate, openDraft, starters } from '../scenarios.ts';
import { groups, screens } from '../screens.ts';
import { isListPaused } from '../state.ts';
import { showKeyboardHelp } from './help.ts';

export interface PaletteState {
  readonly scenarios: readonly ScenarioState[];
  /** Undefined without a project. */
  readonly isFrozen: boolean | undefined;
}

interface ScenarioState {
  readonly name: string;
  readonly isActive: boolean;
}

/** Title, icon, further words that find the action, what it runs, and what else its line shows. */
type Action = readonly [
  title: string,
  icon: IconName,
  words: string,
  run: () => unknown,
  more?: Partial<Pick<Choice, 'hint' | 'isCurrent' | 'isDanger'>>,
];

/** Returns the actions for the current view. `state` is undefined until it is loaded. */
export function actionsOf(state: PaletteState | undefined): readonly Choice[] {
  const project = chosenProject();
  const others = projectChoices().filter(({ isCurrent }) => !isCurrent);
  const ofOne = [...clockActions(project ?? '', state?.isFrozen), ...ofProject(project ?? 'the project')];
  return [
    ...toChoices('Go to', [...groups.flatMap(({ screens: names }) => names), 'map' as const].flatMap(goTo)),
    ...needsProject(toChoices(`Project ${project ?? ''}`, ofOne)),
    ...toChoices('New scenario', newScenarios()),
    ...others.map((choice) => ({ ...choice, group: 'Switch project', words: 'project switch' })),
    ...needsProject(toChoices('Scenarios', (state?.scenarios ?? []).map(toggle(project ?? '')))),
    ...toChoices('Page', pageActions()),
    ...toChoices('Sandbox', sandboxActions()),
  ];
}

/** Without a project, its actions are found, but do not run. */
function needsProject(choices: readonly Choice[]): readonly Choice[] {
  if (chosenProject() !== undefined) return choices;
  return choices.map((choice) => ({ ...choice, isDisabled: true, hint: 'select a project first' }));
}

function toChoices(group: string, actions: readonly Action[]): readonly Choice[] {
  return actions.map(([title, icon, words, run, more]) => {
    return { key: `${group} ${title}`, group, title, icon, words, run, ...more };
  });
}

function goTo(name: ScreenName): readonly Action[] {
  const screen = screens[name];
  if (!screen) return [];
  const { title, icon, letter } = screen;
  const open = (): void => {
    location.hash = linkTo(name);
  };
  const isCurrent = route.get().screen === name;
  return [
    [title, icon, `go to open ${name}`, open, { ...(letter !== undefined && { hint: `g ${letter}` }), isCurrent }],
  ];
}

/** Only a frozen clock advances; a running one is frozen first. `isFrozen` is undefined until it is known. */
function clockActions(project: string, isFrozen: boolean | undefined): readonly Action[] {
  const moved = (move: () => Promise<string>) => () => attempt('', async () => notice('good', await move()));
  const set = (title: string, icon: IconName, words: string, change: Parameters<typeof setClock>[1]): Action => {
    return [title, icon, words, moved(() => setClock(project, change))];
  };
  const advances = steps.map(({ title, words, body }): Action => {
    const action = isFrozen === false ? words.replace('Advance', 'Freeze and advance') : words;
    const move = async (): Promise<string> => {
      if (isFrozen === false) await setClock(project, { mode: 'frozen' });
      return advance(project, body);
    };
    return [action, 'fast-forward', title, moved(move)];
  });
  return [
    set('Freeze the clock', 'snowflake', 'stop time', { mode: 'frozen' }),
    ...(isFrozen === undefined && project !== '' ? [] : advances),
    set('Resume the clock', 'play', 'run time', { mode: 'real' }),
    ...rates.map((rate) => set(`Run the clock at ${rate}×`, 'timer', 'rate speed', { mode: 'real', rate })),
  ];
}

function ofProject(project: string): readonly Action[] {
  return [
    [`Fork ${project} from now`, 'git-fork', 'copy project', shown(() => fork(project))],
    ['Download snapshot', 'download', 'save records state export', shown(() => downloadSnapshot(project))],
    ['Restore snapshot…', 'upload', 'load records state import', () => chooseSnapshot(project, show)],
    ['Download recording', 'download', 'save history replay export', shown(() => downloadRecording(project))],
    [`Reset ${project}…`, 'rotate-ccw', 'delete clear', shown(() => resetProject(project)), { isDanger: true }],
  ];
}

const shown = (action: () => Promise<Report | undefined>) => async (): Promise<void> => show(await reported(action));

function show(report: Report | undefined): void {
  if (report) notice(report.kind === 'good' ? 'good' : 'bad', report.lines.join(' '));
}

function toggle(project: string): (scenario: ScenarioState) => Action {
  return ({ name, isActive }) => {
    const title = `${isActive ? 'Deactivate' : 'Activate'} scenario ${name}`;
    const done = `${name} is ${isActive ? 'off' : 'active'}.`;
    const run = (): unknown => attempt(done, () => (isActive ? deactivate : activate)(project, name));
    return [title, 'flask-conical', 'on off failure', run];
  };
}

function newScenarios(): readonly Action[] {
  return [
    ['New scenario', 'plus', 'create failure rule', () => openDraft('')],
    ...starters.map(({ name, title, words }): Action => {
      return [`New scenario: ${title}`, 'flask-conical', words, () => openDraft('', name)];
    }),
  ];
}

function pageActions(): readonly Action[] {
  const hasList = ['live', 'callbacks'].includes(route.get().screen);
  return [
    ...(hasList ? [pause()] : []),
    ['Copy link to this view', 'link', 'url share', copyLink],
    ...themes.map((name): Action => [`Theme: ${name}`, themeIcons[name], 'color mode', () => chooseTheme(name)]),
    ['Keyboard help', 'keyboard', 'keys shortcuts', showKeyboardHelp, { hint: '?' }],
  ];
}

function pause(): Action {
  const isPaused = isListPaused.value;
  const run = (): void => {
    isListPaused.value = !isPaused;
  };
  return [isPaused ? 'Resume the list' : 'Pause the list', isPaused ? 'play' : 'pause', 'requests callbacks', run];
}

/** What concerns all projects, and the session. */
function sandboxActions(): readonly Action[] {
  const reset: Action = [
    'Reset all projects…',
    'rotate-ccw',
    'delete clear',
    shown(resetAllProjects),
    { isDanger: true },
  ];
  return [
    ...(isOfKey() ? [] : [reset]),
    ...(mayLogOut() ? [['Log out', 'log-out', 'session end sign', logOut] as const] : []),
  ];
}
