/** Shows a project on the current screen. */
import { linkTo, route, type ScreenName } from './route.ts';

/** What a screen shows of any project, such as its tab. The rest was open or filtered in another project. */
const kept: Readonly<Partial<Record<ScreenName, readonly string[]>>> = {
  live: ['sort'],
  records: ['collection', 'sort'],
  callbacks: ['view', 'sort'],
  quality: ['tab'],
  reference: ['operation', 'tab'],
  entity: ['id', 'order'],
  // The opened scenario is of all projects, and its text may not be saved.
  scenarios: ['edit', 'view', 'from'],
};

export function openProject(project: string): void {
  const { screen, query } = route.get();
  const same = kept[screen]?.map((key) => [key, query[key] ?? ''] as const) ?? [];
  location.hash = linkTo(screen, { ...Object.fromEntries(same), project });
}
