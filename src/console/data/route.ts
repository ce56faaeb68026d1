/** Where the console is, in the address after the `#`: a screen and what is chosen on it, so that everything has a link. */
import { createStore, type Store } from './store.ts';

export const screenNames = [
  'live',
  'problems',
  'records',
  'map',
  'callbacks',
  'scenarios',
  'clock',
  'reference',
  'connect',
] as const;
export type ScreenName = (typeof screenNames)[number];

export interface Route {
  readonly screen: ScreenName;
  /** What is chosen: the project, the request that is open, filters, … */
  readonly query: Readonly<Record<string, string>>;
}

function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split('?');
  const screen = screenNames.find((name) => name === path) ?? 'live';
  return { screen, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The address of a route; empty values are left out. */
function toHash({ screen, query }: Route): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `#/${screen}${search === '' ? '' : `?${search}`}`;
}

/** The address of a screen with what is to be chosen there; the project is kept. */
export function linkTo(screen: ScreenName, query: Readonly<Record<string, string>> = {}): string {
  const { project = '' } = route.get().query;
  return toHash({ screen, query: { project, ...query } });
}

/** Chooses something on this screen. `replace` leaves no step to go back to, as for each letter of a search. */
export function choose(query: Readonly<Record<string, string>>, replace = false): void {
  const { screen, query: before } = route.get();
  const hash = toHash({ screen, query: { ...before, ...query } });
  if (hash === location.hash) return;
  if (!replace) location.hash = hash;
  else {
    history.replaceState(null, '', hash);
    route.set(parseRoute(hash));
  }
}

export const route: Store<Route> = createStore(parseRoute(location.hash));
addEventListener('hashchange', () => route.set(parseRoute(location.hash)));
