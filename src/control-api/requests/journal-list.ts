/** The journal of a project, together with the stray requests that name the project: its requests, and their changes. */
import type { JournalEntry } from '../../journal/entry.ts';
import { maxStraysPerProject, shownProjectOf } from '../../journal/journal.ts';
import { inTurn } from '../../lib/in-turn.ts';
import type { ControlParts, ControlRequest } from '../handler.ts';

type Parts = Pick<ControlParts, 'journal' | 'projects' | 'wall' | 'controlPlacement'>;

/** Lists the requests of one project or of all, as far as this server has them, oldest first. */
export function listHere({ journal }: Parts, project: string | undefined): readonly JournalEntry[] {
  return project === undefined ? journal.list() : merge(journal.list(project), journal.strays(project));
}

/** Lists the requests of one project or of all. With several servers, any of them may have stray ones. */
export async function listEverywhere(parts: Parts, project: string | undefined): Promise<readonly JournalEntry[]> {
  const { journal, controlPlacement } = parts;
  if (project === undefined || !controlPlacement) return listHere(parts, project);
  const strays = merge(journal.strays(project), await controlPlacement.listStrays(project));
  return merge(journal.list(project), strays.slice(-maxStraysPerProject));
}

function merge(one: readonly JournalEntry[], other: readonly JournalEntry[]): readonly JournalEntry[] {
  return other.length === 0 ? one : [...one, ...other].sort((a, b) => a.number - b.number);
}

/** How long changes are collected until the changed requests are tested again. */
const collectMs = 100;

/** Notifies of new requests; if the query asks for outcomes, which may change after the response, also of changed ones. */
export function watchRequests(
  parts: Parts,
  { outcome }: ControlRequest['query'],
  project: string | undefined,
  notify: (entries: readonly JournalEntry[]) => void,
): () => void {
  const isListed = (entry: JournalEntry): boolean => project === undefined || shownProjectOf(entry) === project;
  if (outcome === undefined) return parts.journal.subscribe((entry) => isListed(entry) && notify([entry]));
  const isWatched = (id: string): boolean => project === undefined || id === project;
  let ids = new Set<string>();
  let cancel: (() => void) | undefined;
  const collect = (id: string): void => {
    ids.add(id);
    cancel ??= parts.wall.after(collectMs, () => {
      const collected = ids;
      ids = new Set();
      cancel = undefined;
      notify(listHere(parts, project).filter((entry) => collected.has(entry.id)));
    });
  };
  return inTurn(
    () => cancel?.(),
    parts.journal.onStored((_, item) => {
      if ('request' in item && isListed(item.request)) collect(item.request.id);
    }),
    parts.projects.onCallback((id, { requestId }) => isWatched(id) && collect(requestId)),
    parts.projects.onCommandApplied((id, requestId) => isWatched(id) && collect(requestId)),
  );
}
