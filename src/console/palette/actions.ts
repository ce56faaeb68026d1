/** Every action of the palette, besides what a search finds. */

import { callApi, projectPath, type Schemas } from '../data/client.ts';
import { advance, freeze, rates, resume, steps } from '../data/clock-actions.ts';
import { linkTo, route, type ScreenName } from '../data/route.ts';
import { chooseTheme, themes } from '../data/theme.ts';
import { copyLink } from '../frame/copy-link.ts';
import { projectChoices } from '../frame/project-menu.ts';
import type { Choice } from '../parts/choice-list.ts';
import { chosenProject } from '../parts/choose-project.ts';
import { confirmed } from '../parts/confirm.ts';
import { attempt, notice } from '../parts/notices.ts';
import { groups, screens } from '../screens.ts';
import { showKeyboardHelp } from './help.ts';
import type { ScenarioState } from './scenarios.ts';

/** Returns the actions for the current view. `scenarios` is undefined until they are loaded. */
export function actionsOf(scenarios: readonly ScenarioState[] | undefined): readonly Choice[] {
  const project = chosenProject();
  return [
    ...screenChoices(),
    ...(project === undefined ? [] : ofProject(project)),
    ...projectChoices()
      .filter(({ isCurrent }) => !isCurrent)
      .map((choice) => ({ ...choice, group: 'Switch project', words: 'project switch' })),
    ...(scenarios ?? []).map(scenarioChoice),
    ...pageChoices(),
  ];
}

function screenChoices(): readonly Choice[] {
  return groups.flatMap(({ screens: names }) => names).flatMap(toScreenChoice);
}

function toScreenChoice(name: ScreenName): readonly Choice[] {
  const screen = screens[name];
  if (!screen) return [];
  const { title, icon, letter } = screen;
  return [
    {
      ...{ key: `go ${name}`, group: 'Go to', title, icon, words: `go to open ${name}` },
      ...(letter !== undefined && { hint: `g ${letter}` }),
      isCurrent: route.get().screen === name,
      run: () => {
        location.hash = linkTo(name);
      },
    },
  ];
}

function ofProject(project: string): readonly Choice[] {
  const group = `Project ${project}`;
  const moved = (action: () => Promise<string>) => () =>
    attempt('', async () => {
      notice('good', await action());
    });
  return [
    ...steps.map(({ title, words, body }): Choice => {
      return {
        key: title,
        group,
        title: words,
        words: title,
        icon: 'fast-forward',
        run: moved(() => advance(project, body)),
      };
    }),
    { key: 'freeze', group, title: 'Freeze the clock', icon: 'snowflake', run: moved(() => freeze(project)) },
    { key: 'resume', group, title: 'Resume the clock', icon: 'play', run: moved(() => resume(project)) },
    ...rates.map((rate): Choice => {
      const title = `Run the clock at ${rate}×`;
      return {
        key: `rate ${rate}`,
        group,
        title,
        icon: 'timer',
        words: 'rate speed',
        run: moved(() => resume(project, rate)),
      };
    }),
    {
      key: 'reset',
      group,
      title: `Reset ${project}…`,
      icon: 'rotate-ccw',
      words: 'delete clear',
      isDanger: true,
      run: () => reset(project),
    },
  ];
}

async function reset(project: string): Promise<void> {
  const isSure = await confirmed({
    title: `Reset ${project}?`,
    text: 'Deletes records, requests and callbacks, and cancels pending work. Restores the defaults of clock, scenarios and callback endpoint.',
    action: `Reset ${project}`,
    isDanger: true,
  });
  if (!isSure) return;
  await attempt(`${project} was reset.`, () => callApi<Schemas['ResetResult']>('POST', projectPath(project, '/reset')));
}

function scenarioChoice({ name, isActive, set }: ScenarioState): Choice {
  const title = `${isActive ? 'Deactivate' : 'Activate'} scenario ${name}`;
  const done = isActive ? `${name} is off.` : `${name} is active.`;
  return {
    ...{ key: `scenario ${name}`, group: 'Scenarios', title, icon: 'flask-conical', words: 'on off failure' },
    run: () => attempt(done, () => set(!isActive)),
  };
}

function pageChoices(): readonly Choice[] {
  const group = 'Page';
  return [
    { key: 'link', group, title: 'Copy link to this view', icon: 'link', words: 'url share', run: copyLink },
    ...themes.map((name): Choice => {
      const icon = name === 'dark' ? 'moon' : name === 'light' ? 'sun' : 'monitor';
      return {
        key: `theme ${name}`,
        group,
        title: `Theme: ${name}`,
        icon,
        words: 'color mode',
        run: () => chooseTheme(name),
      };
    }),
    {
      key: 'help',
      group,
      title: 'Keyboard help',
      icon: 'keyboard',
      hint: '?',
      words: 'keys shortcuts',
      run: showKeyboardHelp,
    },
  ];
}
