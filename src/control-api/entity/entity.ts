/** Control API handler for the events of one id: of a job, order, route, user or device. */
import { type ControlHandlers, type ControlParts, type ControlRequest, projectOf, slicesFor } from '../handler.ts';
import { answerList } from '../lists/answer.ts';
import type { List } from '../lists/list.ts';
import { recordCollections, toCollectionName } from '../named-records.ts';
import { findMissing, findUnread, showFound } from './details.ts';
import { buildTimeline, type EntityEvent, type Timeline } from './timeline.ts';

export const entityHandlers: ControlHandlers<'getEntity'> = {
  getEntity: async (parts, request) => {
    const id = request.params['id'] ?? '';
    const project = parts.projects.find(projectOf(request));
    project?.runDue();
    const { events, named }: Timeline = project
      ? await buildTimeline(parts, project, id, slicesFor(parts, request))
      : none;
    const records = recordCollections
      .map((collection) => ({
        collection,
        isPresent: project?.state.records[toCollectionName(collection)].has(id) ?? false,
      }))
      .filter(({ collection, isPresent }) => isPresent || named.has(collection));
    const details = request.query['view'] === 'record' ? await explain(parts, request, events) : {};
    return answerList(parts, request, defineEvents(events), { id, records, ...details });
  },
};

/** Returns the records of the id, or why it has none. */
async function explain(parts: ControlParts, request: ControlRequest, events: readonly EntityEvent[]): Promise<object> {
  const id = request.params['id'] ?? '';
  const state = parts.projects.find(projectOf(request))?.state;
  const found = state ? recordCollections.flatMap((collection) => showFound(state.records, collection, id)) : [];
  if (found.length > 0) return { found };
  const missing = findMissing(events);
  return { found, ...(missing && { missing }), unread: await findUnread(parts, request, id) };
}

const none: Timeline = { events: [], named: new Set() };

/** Positions are the times of events, because the journal may drop earlier ones. */
function defineEvents(events: readonly EntityEvent[]): List<EntityEvent> {
  const numbers = new Map<EntityEvent, number>();
  const timeOf = ({ at }: EntityEvent): number => Date.parse(at);
  for (const [index, event] of events.entries()) {
    const before = events[index - 1];
    numbers.set(event, before && timeOf(before) === timeOf(event) ? (numbers.get(before) ?? 0) + 1 : 0);
  }
  return { items: () => events, timeOf, numberOf: (event) => numbers.get(event) ?? 0, show: (event) => event };
}
