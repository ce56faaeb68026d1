/** Reads the entries out of a body that the contract has judged; numbers them, and leaves out what was refused. */
import type { Json } from '../base/json.ts';
import type { Operation } from './index.ts';
import type { Entry, RouteEntry, Task } from './task.ts';

/** An entry that the contract refused. */
interface Refused {
  readonly order: number;
  readonly id: string;
  readonly reason: string;
}

/** What a request asks for: what can be carried out, and what can't, with the reasons. */
export interface ReadTask {
  readonly task: Task;
  readonly refused: readonly Refused[];
}

/** The reasons why entries are refused: by `12`, or `2/5` for the sixth job of the third route, from 0. */
type Reasons = ReadonlyMap<string, string>;

/** The task of a request. Its values are the body's own objects: they are kept, not copied. */
export function toTask(
  operation: Operation,
  params: Readonly<Record<string, string>>,
  body: Json,
  reasons: Reasons,
): ReadTask {
  const { subProjectId } = params;
  const scope = subProjectId === undefined ? {} : { subProjectId };
  if (operation.list === undefined) {
    const id = operation.idParam ? params[operation.idParam] : undefined;
    const entry = { item: 1, id: id ?? idOf(body, operation), value: body };
    return { task: { ...scope, entries: [entry] }, refused: [] };
  }
  const list = body[operation.list] as readonly unknown[];
  if (operation.list === 'routes') return readRoutes(scope, list as readonly Json[], reasons);
  const { entries, refused } = readList(list, operation, reasons, '', 0);
  return { task: { ...scope, entries }, refused };
}

function readRoutes(scope: Pick<Task, 'subProjectId'>, list: readonly Json[], reasons: Reasons): ReadTask {
  const entries: Entry[] = [];
  const routes: RouteEntry[] = [];
  const refused: Refused[] = [];
  let before = 0;
  list.forEach((route, index) => {
    const jobs: readonly unknown[] = Array.isArray(route?.['jobs']) ? route['jobs'] : [];
    const id = idOf(route, { idField: 'id' });
    // Between the job before and its own first one, and behind the routes in between that have no jobs.
    const order = before + (index + 1) / (list.length + 1);
    const reason = reasons.get(String(index));
    if (reason !== undefined) refused.push({ order, id, reason });
    else {
      const read = readList(jobs, { idField: 'id' }, reasons, `${index}/`, before, routes.length);
      entries.push(...read.entries);
      refused.push(...read.refused);
      const { jobs: _apart, ...value } = route;
      routes.push({ id, value, order });
    }
    before += jobs.length;
  });
  return { task: { ...scope, entries, routes }, refused };
}

function readList(
  list: readonly unknown[],
  operation: Pick<Operation, 'idField'>,
  reasons: Reasons,
  prefix: string,
  before: number,
  route?: number,
): { entries: Entry[]; refused: Refused[] } {
  const entries: Entry[] = [];
  const refused: Refused[] = [];
  list.forEach((value, index) => {
    const item = before + index + 1;
    const id = idOf(value, operation);
    const reason = reasons.size === 0 ? undefined : reasons.get(prefix + index);
    if (reason !== undefined) refused.push({ order: item, id, reason });
    else if (route === undefined) entries.push({ item, id, value: value as Json });
    else entries.push({ item, id, value: value as Json, route });
  });
  return { entries, refused };
}

/** An entry's id as it came; empty where it has none. */
function idOf(value: unknown, { idField }: Pick<Operation, 'idField'>): string {
  const id = (value as Json | null)?.[idField];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
