/** The navigation: the screens in groups, narrow or wide, and as a bar at the bottom of a phone. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { projectPath } from '../api.ts';
import { frameMs } from '../reloader.ts';
import { linkTo, projectInUrl, type ScreenName } from '../route.ts';
import { groups, itemOf, screens } from '../screens.ts';
import { chosenProject, of, projects, requestTotal } from '../state.ts';
import { useApi } from '../use-api.ts';
import { Menu } from './menu.tsx';
import { Icon } from './small.tsx';

/** Screens in the bar of a phone. The others are under More. */
const firstScreens: readonly ScreenName[] = ['live', 'callbacks', 'clock', 'scenarios'];

const storageKey = 'field-sandbox-navigation';
const isSmall = matchMedia('(max-width: 1100px)');

/** Whether the navigation shows icons only: by choice, or on a small display. */
const isNarrow = signal(readNarrow());
isSmall.addEventListener('change', () => {
  isNarrow.value = readNarrow();
});

function readNarrow(): boolean {
  const stored = localStorage.getItem(storageKey);
  return stored === null ? isSmall.matches : stored === 'narrow';
}

function toggleNarrow(): void {
  isNarrow.value = !isNarrow.value;
  localStorage.setItem(storageKey, isNarrow.value ? 'narrow' : 'wide');
}

export function Navigation({ current }: { readonly current: ScreenName }) {
  const shown = chosenProject();
  const counts: Counts = {
    live: useRequestCount(),
    // The screen of the callbacks shows one project.
    callbacks: projects.value?.find(({ id }) => id === shown)?.counts.callbacks ?? 0,
  };
  const narrow = isNarrow.value;
  const all = groups.map(({ title, screens: names }) => (
    <>
      <h2>{title}</h2>
      {names.map((name) => (
        <ScreenLink key={name} name={name} current={current} counts={counts} />
      ))}
    </>
  ));
  const label = narrow ? 'Expand navigation' : 'Collapse navigation';
  const more = (
    <>
      <Icon name="menu" />
      <span class="title">More</span>
    </>
  );
  return (
    <>
      <nav class={`screens ${narrow ? 'narrow' : ''}`} aria-label="Screens">
        {all}
        <button type="button" class="icon collapse" aria-label={label} title={label} onClick={toggleNarrow}>
          <Icon name={narrow ? 'chevrons-right' : 'chevrons-left'} />
        </button>
      </nav>
      <nav class="tabs-bar" aria-label="Main screens">
        {firstScreens.map((name) => (
          <ScreenLink key={name} name={name} current={current} counts={counts} />
        ))}
        <Menu label="More screens" content={more} look={firstScreens.includes(itemOf(current)) ? '' : 'current'}>
          {(close) => (
            // biome-ignore lint/a11y: a link in it was followed
            <div class="all" onClick={close}>
              {all}
            </div>
          )}
        </Menu>
      </nav>
    </>
  );
}

/** Numbers that screens show for the chosen project. */
type Counts = Readonly<Partial<Record<ScreenName, number>>>;

interface ScreenLinkProps {
  readonly name: ScreenName;
  readonly current: ScreenName;
  readonly counts: Counts;
}

function ScreenLink({ name, current, counts: { [name]: count = 0 } }: ScreenLinkProps) {
  const { title, icon } = screens[name];
  return (
    <a
      class="item"
      href={linkTo(name)}
      title={isNarrow.value ? title : undefined}
      aria-current={name === current ? 'page' : name === itemOf(current) ? 'true' : undefined}
    >
      <Icon name={icon} />
      <span class="title">{title}</span>
      {count > 0 && (
        <span class="count">
          {count.toLocaleString('en')}
          <span class="unseen"> {title.toLowerCase()}</span>
        </span>
      )}
    </a>
  );
}

/** The number of requests that their screen lists: those without a project are part of the list. */
function useRequestCount(): number {
  const project = projectInUrl();
  const path = projectPath(project, '/requests?view=rows&limit=1&counts=true');
  // After the rows of the screen, which the user waits for. Before a login, there are no projects.
  const { value } = useApi<{ counts: { total: number } }>(projects.value && path, {
    reloadOn: of(project),
    minMs: frameMs,
  });
  const count = value?.counts.total;
  useEffect(() => {
    if (count !== undefined) requestTotal.value = { project, count };
  }, [project, count]);
  return count ?? 0;
}
