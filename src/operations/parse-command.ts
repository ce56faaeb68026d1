/** Parses a validated body into a command: numbers the entries, and separates the invalid ones. */
import type { Json } from '../lib/json.ts';
import type { Refusal } from '../openapi/validate.ts';
import type { NamedIds } from '../records/records.ts';
import { type Command, type Entry, type RouteEntry, routeCause, toRouteReason } from './command.ts';
import type { Operation } from './index.ts';

/** An invalid entry. */
interface RejectedEntry extends Refusal {
  readonly order: number;
  readonly id: string;
}

/** A parsed request: the command to apply, and the rejected entries with their reasons. */
export interface ParsedCommand {
  readonly command: Command;
  readonly refused: readonly RejectedEntry[];
}

/** Reasons for rejected entries, by index: `12`, or `2/5` for the sixth job of the third route. Indexes start at 0. */
type Reasons = ReadonlyMap<string, Refusal>;

/** Parses a request's body into a command. Its values are the objects of the body, not copies. */
export function parseCommand(
  operation: Operation,
  params: Readonly<Record<string, string>>,
  body: Json,
  reasons: Reasons,
): ParsedCommand {
  const { subProjectId } = params;
  const scope = subProjectId === undefined ? {} : { subProjectId };
  if (operation.list === undefined) {
    const id = operation.idParam ? params[operation.idParam] : undefined;
    const entry = { item: 1, id: id ?? idOf(body, operation), value: body };
    return { command: { ...scope, entries: [entry] }, refused: [] };
  }
  // A profile's document may allow another value, or none.
  const list = listOf(body, operation.list);
  if (operation.list === 'routes') return readRoutes(scope, list as readonly Json[], reasons);
  const parsed = { entries: [], refused: [] };
  readList(parsed, list, operation, { reasons, prefix: '', jobsBefore: 0 });
  return { command: { ...scope, entries: parsed.entries }, refused: parsed.refused };
}

function readRoutes(scope: Pick<Command, 'subProjectId'>, list: readonly Json[], reasons: Reasons): ParsedCommand {
  const entries: Entry[] = [];
  const routes: RouteEntry[] = [];
  const refused: RejectedEntry[] = [];
  let jobsBefore = 0;
  list.forEach((route, index) => {
    const jobs: readonly unknown[] = Array.isArray(route?.['jobs']) ? route['jobs'] : [];
    const id = idOf(route, { idField: 'id' });
    // Sorts between the job before and the first job of this route, and after routes in between that have no jobs.
    const order = jobsBefore + (index + 1) / (list.length + 1);
    const refusal = reasons.get(String(index)) ?? (route === null ? noObject : undefined);
    if (refusal) {
      refused.push({ order, id, ...refusal });
      for (const [place, job] of jobs.entries()) {
        const reason = toRouteReason(id, reasons.get(`${index}/${place}`)?.reason);
        const order = jobsBefore + place + 1;
        refused.push({ order, id: idOf(job, { idField: 'id' }), reason, cause: routeCause });
      }
    } else {
      const place = { reasons, prefix: `${index}/`, jobsBefore, route: routes.length };
      readList({ entries, refused }, jobs, { idField: 'id' }, place);
      const { jobs: _jobs, ...value } = route;
      routes.push({ id, value, order, ...(jobs.length === 0 && { isEmpty: true }) });
    }
    jobsBefore += jobs.length;
  });
  return { command: { ...scope, entries, routes }, refused };
}

/** A profile's document may allow null in place of an entry, which no operation can store. */
const noObject = {
  reason: 'expected an object, got null',
  cause: { kind: 'wrongType', place: '', text: 'expected an object' },
} as const;

/** Where a list is: in the body, or in a route of it. */
interface ListPlace {
  readonly reasons: Reasons;
  readonly prefix: string;
  readonly jobsBefore: number;
  readonly route?: number;
}

/** Adds the entries of a list, which may be too many for the arguments of one call. */
function readList(
  { entries, refused }: { readonly entries: Entry[]; readonly refused: RejectedEntry[] },
  list: readonly unknown[],
  operation: Pick<Operation, 'idField'>,
  { reasons, prefix, jobsBefore, route }: ListPlace,
): void {
  list.forEach((value, index) => {
    const item = jobsBefore + index + 1;
    const id = idOf(value, operation);
    const refusal =
      (reasons.size === 0 ? undefined : reasons.get(prefix + index)) ?? (value === null ? noObject : undefined);
    if (refusal) refused.push({ order: item, id, ...refusal });
    else if (route === undefined) entries.push({ item, id, value: value as Json });
    else entries.push({ item, id, value: value as Json, route });
  });
}

/** Lists the ids that a request names, whether or not its body is valid. */
export function nameEntries(
  operation: Pick<Operation, 'list' | 'idParam' | 'idField'>,
  params: Readonly<Record<string, string>>,
  body: unknown,
): NamedIds {
  const { list, idParam } = operation;
  if (list === undefined) return { ids: [(idParam && params[idParam]) ?? idOf(body, operation)] };
  const entries = listOf(body, list);
  const ids: string[] = [];
  addIds(ids, entries, operation.idField);
  if (list !== 'routes') return { ids };
  const jobs = entries.map((route) => listOf(route, 'jobs'));
  for (const all of jobs) addIds(ids, all, 'id');
  return { ids, jobs: jobs.map(({ length }) => length) };
}

/** A loop without calls, because a body may have 100,000 entries. */
function addIds(ids: string[], entries: readonly unknown[], field: string): void {
  for (const entry of entries) {
    const id = (entry as Json | null)?.[field];
    ids.push(typeof id === 'string' ? id : typeof id === 'number' ? String(id) : '');
  }
}

function listOf(value: unknown, field: string): readonly unknown[] {
  const list = (value as Json | null | undefined)?.[field];
  return Array.isArray(list) ? list : [];
}

/** Returns an entry's id as received, or an empty string if it has none. */
function idOf(value: unknown, { idField }: Pick<Operation, 'idField'>): string {
  const id = (value as Json | null | undefined)?.[idField];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
