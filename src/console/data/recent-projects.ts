/** The projects that this browser showed last, newest first. */
import { route } from './route.ts';

const storageKey = 'field-sandbox-recent-projects';
const maxRecent = 5;

export function recentProjects(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** Notes each project that is chosen. Call it once. */
export function noteRecentProjects(): void {
  const note = (): void => {
    const { project = '' } = route.get().query;
    const recent = recentProjects();
    if (project === '' || recent[0] === project) return;
    const next = [project, ...recent.filter((one) => one !== project)].slice(0, maxRecent);
    localStorage.setItem(storageKey, JSON.stringify(next));
  };
  route.subscribe(note);
  note();
}
