/** Lists the callbacks of a project: filtered, in pages, and after waiting for enough of them. */
import type { Callback } from '../../callbacks/callback.ts';
import { awaitEnough, type ItemCounter } from '../awaiting.ts';
import {
  badCursor,
  type ControlParts,
  type ControlReply,
  type ControlRequest,
  okInPieces,
  projectOf,
  reject,
} from '../handler.ts';
import { toPage } from '../page.ts';
import { checkNames, createCallbackFilter } from './filter.ts';
import { showCallback, showRow } from './show.ts';
import { toSortValue } from './sort-values.ts';

export async function listCallbacks(
  parts: ControlParts,
  request: ControlRequest,
): Promise<ControlReply<'listCallbacks'>> {
  const { query, caller } = request;
  const project = projectOf(request);
  const all = (): readonly Callback[] => [...(parts.projects.find(project)?.state.callbacks.values() ?? [])];
  let after = -1;
  if (query['since'] !== undefined) {
    after = all().find(({ id }) => id === query['since'])?.change ?? -1;
    if (after < 0) return reject('invalid', 'expected the id of a callback of this project', 'query:since');
  }
  const unknown = checkNames(query);
  if (unknown) return unknown;
  const { matches, count } = createCallbackFilter(query, after);
  const waited = await awaitEnough(parts, request, project, createMatches(parts, project, all, matches));
  const page = toPage(
    all().filter(matches),
    query,
    ({ change }) => change,
    query['view'] === 'rows'
      ? (callback) => showRow(project, callback)
      : (callback): object => showCallback(parts, caller, callback),
    toSortValue(query),
  );
  if (!page) return badCursor;
  return okInPieces({ ...page, ...waited, ...(query['counts'] === true && { counts: count(all()) }) });
}

/** Counts matching callbacks; at a change, checks only the changed callback. */
function createMatches(
  { projects }: ControlParts,
  project: string,
  all: () => readonly Callback[],
  matches: (callback: Callback) => boolean,
): ItemCounter {
  let ids = new Set<string>();
  return {
    count: () => {
      ids = new Set(
        all()
          .filter(matches)
          .map(({ id }) => id),
      );
      return ids.size;
    },
    subscribe: (changed) =>
      projects.onCallback((name, callback) => {
        if (name !== project || ids.has(callback.id) === matches(callback)) return;
        if (ids.delete(callback.id)) changed(-1);
        else {
          ids.add(callback.id);
          changed(1);
        }
      }),
  };
}
