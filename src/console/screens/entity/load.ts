/** Loads the events of one id. */
import { callApi, projectPath } from '../../data/client.ts';
import type { Schemas } from '../../data/schemas.ts';

export type Entity = Schemas['Entity'];
export type EntityEvent = Schemas['EntityEvent'];
export type EventOrder = 'oldest' | 'newest';

/** Number of events per page. */
const pageSize = 100;

/** Loads the first events, as many pages as were loaded before. */
export async function loadEntity(project: string, id: string, order: EventOrder, pages: number): Promise<Entity> {
  let entity = await loadPage(project, id, order, undefined);
  for (let page = 1; page < pages && entity.next !== undefined; page += 1) {
    const more = await loadPage(project, id, order, entity.next);
    entity = { ...more, items: [...entity.items, ...more.items] };
  }
  return entity;
}

function loadPage(project: string, id: string, order: EventOrder, cursor: string | undefined): Promise<Entity> {
  const query = new URLSearchParams({ order, limit: String(pageSize), ...(cursor !== undefined && { cursor }) });
  return callApi('GET', projectPath(project, `/entities/${encodeURIComponent(id)}?${query}`));
}
