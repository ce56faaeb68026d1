/** Lists the journal of a project together with the stray requests that name the project. */
import type { JournalEntry } from '../../journal/entry.ts';
import { type Journal, shownProjectOf } from '../../journal/journal.ts';
import type { ControlParts } from '../handler.ts';

/** Lists the requests of one project or of all, as far as this server has them, oldest first. */
export function listHere(
  journal: Pick<Journal, 'list' | 'strays'>,
  project: string | undefined,
): readonly JournalEntry[] {
  const own = journal.list(project);
  return project === undefined ? own : merge(own, journal.strays(project));
}

/** Lists the requests of one project or of all. With several servers, any of them may have stray ones. */
export async function listEverywhere(
  { journal, controlPlacement }: Pick<ControlParts, 'journal' | 'controlPlacement'>,
  project: string | undefined,
): Promise<readonly JournalEntry[]> {
  const here = listHere(journal, project);
  if (project === undefined || !controlPlacement) return here;
  return merge(here, await controlPlacement.listStrays(project));
}

function merge(own: readonly JournalEntry[], strays: readonly JournalEntry[]): readonly JournalEntry[] {
  return strays.length === 0 ? own : [...own, ...strays].sort((a, b) => a.number - b.number);
}

/** Whether a request is in the list of a project, or of all. */
export function isListed(entry: JournalEntry, project: string | undefined): boolean {
  return project === undefined || shownProjectOf(entry) === project;
}
