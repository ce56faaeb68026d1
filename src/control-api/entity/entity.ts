/** Control API handler for the events of one id: of a job, order, route, user or device. */
import { badCursor, type ControlHandlers, okInPieces, projectOf } from '../handler.ts';
import { defaultLimit, type PageQuery } from '../page.ts';
import { toCollectionName } from './record-values.ts';
import { buildTimeline, type EntityEvent, recordCollections, type Timeline } from './timeline.ts';

export const entityHandlers: ControlHandlers<'getEntity'> = {
  getEntity: async (parts, request) => {
    const id = request.params['id'] ?? '';
    const project = parts.projects.find(projectOf(request));
    project?.runDue();
    const { events, named }: Timeline = project ? await buildTimeline(parts, project, id) : none;
    const page = toEventPage(events, request.query);
    if (!page) return badCursor;
    const records = recordCollections
      .map((collection) => ({
        collection,
        isPresent: project?.state.records[toCollectionName(collection)].has(id) ?? false,
      }))
      .filter(({ collection, isPresent }) => isPresent || named.has(collection));
    return okInPieces({ id, records, ...page });
  },
};

const none: Timeline = { events: [], named: new Set() };

interface EventPageQuery extends PageQuery {
  readonly order?: 'oldest' | 'newest';
}

/**
 * Returns a page of events. A cursor is the time of the last event of a page, and its position among those of the same
 * time: the journal may drop earlier events.
 */
function toEventPage(
  events: readonly EntityEvent[],
  { limit = defaultLimit, cursor, order = 'oldest' }: EventPageQuery,
): { readonly items: readonly EntityEvent[]; readonly next?: string } | undefined {
  const cursors = toCursors(events);
  const all = events.map((event, index) => ({ event, cursor: cursors[index] as Cursor }));
  if (order === 'newest') all.reverse();
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && !after) return undefined;
  const sign = order === 'newest' ? -1 : 1;
  const rest = after ? all.filter((one) => sign * compare(one.cursor, after) > 0) : all;
  const last = rest.length > limit ? rest[limit - 1]?.cursor : undefined;
  return { items: rest.slice(0, limit).map(({ event }) => event), ...(last && { next: last.join('-') }) };
}

/** The time of an event in milliseconds, and its position among the events of that time. */
type Cursor = readonly [atMs: number, position: number];

function toCursors(events: readonly EntityEvent[]): readonly Cursor[] {
  let previous: Cursor = [Number.NaN, 0];
  return events.map(({ at }) => {
    const atMs = Date.parse(at);
    previous = [atMs, atMs === previous[0] ? previous[1] + 1 : 0];
    return previous;
  });
}

function readCursor(text: string): Cursor | undefined {
  const [, atMs, position] = /^(-?\d{1,16})-(\d{1,9})$/.exec(text) ?? [];
  return atMs === undefined ? undefined : [Number(atMs), Number(position)];
}

function compare(one: Cursor, other: Cursor): number {
  return one[0] - other[0] || one[1] - other[1];
}
