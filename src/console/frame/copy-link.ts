/** Copies a link to the current view. */
import { route } from '../data/route.ts';
import { chosenProject } from '../parts/choose-project.ts';
import { notice } from '../parts/notices.ts';

/** The link names the project also if it is the only one: it stays right when others are created. */
export async function copyLink(): Promise<void> {
  const url = new URL(location.href);
  const project = chosenProject();
  if (project !== undefined && route.get().query['project'] === undefined) {
    const [path = '', search = ''] = url.hash.split('?');
    url.hash = `${path || '#/live'}?${new URLSearchParams([['project', project], ...new URLSearchParams(search)])}`;
  }
  try {
    await navigator.clipboard.writeText(url.href);
    notice('good', 'Link copied.');
  } catch {
    notice('bad', 'The browser blocked copying. Copy the link from the address bar.');
  }
}
