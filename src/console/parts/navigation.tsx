/** The navigation: the screens in groups, at the left, or at the bottom of a phone. */
import { useEffect } from 'preact/hooks';
import { projectPath } from '../api.ts';
import { frameMs } from '../reloader.ts';
import { linkTo, projectInUrl, type ScreenName } from '../route.ts';
import { groups, itemOf, screens } from '../screens.ts';
import { chosenProject, of, projects, requestTotal } from '../state.ts';
import { useApi } from '../use-api.ts';
import { Icon } from './small.tsx';

export function Navigation({ current }: { readonly current: ScreenName }) {
  const shown = chosenProject();
  const counts: Readonly<Partial<Record<ScreenName, number>>> = {
    live: useRequestCount(),
    // The screen of the callbacks shows one project.
    callbacks: projects.value?.find(({ id }) => id === shown)?.counts.callbacks ?? 0,
  };
  return (
    <nav class="screens" aria-label="Screens">
      {groups.map(({ title, screens: names }) => (
        <>
          <h2>{title}</h2>
          {names.map((name) => (
            <ScreenLink key={name} name={name} current={current} count={counts[name]} />
          ))}
        </>
      ))}
    </nav>
  );
}

interface ScreenLinkProps {
  readonly name: ScreenName;
  readonly current: ScreenName;
  readonly count: number | undefined;
}

function ScreenLink({ name, current, count = 0 }: ScreenLinkProps) {
  const { title, icon } = screens[name];
  return (
    <a
      class="item"
      href={linkTo(name)}
      title={title}
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
