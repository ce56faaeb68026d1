/** The screens of the console, and their groups in the navigation. */
import type { Load } from './parts/lazy.tsx';
import type { IconName } from './parts/small.tsx';
import type { ScreenName } from './route.ts';

export interface Screen {
  readonly title: string;
  readonly icon: IconName;
  /** The key that opens the screen, after `g`. */
  readonly letter?: string;
  /** What the screen shows: further words that find it. */
  readonly words?: string;
  /** Loads the code of the screen, when the screen is opened for the first time. */
  readonly load: Load;
}

export const screens: Readonly<Record<ScreenName, Screen>> = {
  live: { title: 'Requests', icon: 'list', letter: 'r', load: () => import('./screens/requests.tsx') },
  callbacks: {
    title: 'Callbacks',
    icon: 'webhook',
    letter: 'c',
    words: 'webhooks inbox',
    load: () => import('./screens/callbacks.tsx'),
  },
  records: {
    title: 'Records',
    icon: 'database',
    letter: 'd',
    words: 'jobs orders routes users devices',
    load: () => import('./screens/records.tsx'),
  },
  entity: { title: 'Events of an id', icon: 'rotate-ccw-clock', load: () => import('./screens/records.tsx') },
  map: { title: 'Map', icon: 'map', letter: 'm', load: () => import('./screens/map.tsx') },
  quality: { title: 'Quality', icon: 'shield-check', letter: 'q', load: () => import('./screens/quality.tsx') },
  clock: {
    title: 'Project',
    icon: 'box',
    letter: 't',
    words: 'settings seed usage limits pending advances',
    load: () => import('./screens/project.tsx'),
  },
  scenarios: { title: 'Scenarios', icon: 'flask-conical', letter: 's', load: () => import('./screens/scenarios.tsx') },
  reference: {
    title: 'Reference',
    icon: 'book-open',
    letter: 'a',
    words: 'openapi operations docs try',
    load: () => import('./screens/reference.tsx'),
  },
  /** A tab of the reference. */
  connect: {
    title: 'Connect',
    icon: 'plug',
    letter: 'k',
    words: 'url key curl',
    load: () => import('./screens/reference.tsx'),
  },
};

interface Group {
  readonly title: string;
  readonly screens: readonly ScreenName[];
}

/** The navigation. Screens of one item, such as `entity` and `map`, are in no group. */
export const groups: readonly Group[] = [
  { title: 'Observe', screens: ['live', 'callbacks', 'records', 'quality'] },
  { title: 'Simulate', screens: ['clock', 'scenarios'] },
  { title: 'Set up', screens: ['reference'] },
];

/** Returns the item of the navigation that a screen belongs to. */
export function itemOf(screen: ScreenName): ScreenName {
  return screen === 'entity' || screen === 'map' ? 'records' : screen;
}
