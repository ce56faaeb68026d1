/** The console's route in the URL fragment: a screen and its selection, so that every view has a link. */
import { type Signal, signal } from '@preact/signals';

export const screenNames = [
  'live',
  'records',
  'map',
  'callbacks',
  'scenarios',
  'clock',
  'reference',
  'connect',
  'quality',
  'entity',
] as const;
export type ScreenName = (typeof screenNames)[number];

export interface Route {
  readonly screen: ScreenName;
  /** The selection: the project, the open request, filters, … */
  readonly query: Readonly<Record<string, string>>;
}

function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?');
  const query = Object.fromEntries(new URLSearchParams(search));
  // Tabs that links name as screens.
  if (path === 'connect') return { screen: 'reference', query: { ...query, tab: path } };
  if (path === 'problems') return { screen: 'quality', query: { ...query, tab: path } };
  // A request opens beside the list of requests, wherever its link is.
  if ((query['request'] ?? '') !== '') return { screen: 'live', query };
  return { screen: screenNames.find((name) => name === path) ?? 'live', query };
}

/** Returns the project of the selection; an empty text for all projects. */
export function projectInUrl(): string {
  return route.value.query['project'] ?? '';
}

/** Returns the URL fragment of a route, without empty values. */
function toHash({ screen, query }: Route): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${screen}${search === '' ? '' : `?${search}`}`;
}

/** Returns a link to a screen with this selection. It keeps the current project. */
export function linkTo(screen: ScreenName, query: Readonly<Record<string, string>> = {}): string {
  const { project = '' } = route.value.query;
  return toHash({ screen, query: { project, ...query } });
}

/**
 * Changes the selection of the current screen. With `replace`, no history entry is added, for example while the user
 * types a search text.
 */
export function choose(query: Readonly<Record<string, string>>, replace = false): void {
  const { screen, query: current } = route.value;
  const hash = toHash({ screen, query: { ...current, ...query } });
  if (hash === location.hash) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', hash);
  route.value = parseRoute(hash);
}

export const route: Signal<Route> = signal(parseRoute(location.hash));
addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash);
});
