/** Lists the projects of all replicas in order of creation, and their requests in order of time. */
import { badCursor, type ControlParts, type ControlRequest } from '../../control-api/handler.ts';
import type { Control } from '../../control-api/index.ts';
import { findAfter, unknownSince } from '../../control-api/lists/answer.ts';
import { awaitEnough, type ItemCounter } from '../../control-api/lists/awaiting.ts';
import { defaultLimit, type OrderQuery, type Position, toOrder } from '../../control-api/lists/order.ts';
import { addUp, type Counts, checkQuery, scan } from '../../control-api/lists/select.ts';
import { showSummary } from '../../control-api/projects.ts';
import { defineRequests } from '../../control-api/requests/list.ts';
import { type Reply, toControlProblemReply, toJsonReply, toPiecesReply } from '../../http/reply.ts';
import { toJsonPieces } from '../../lib/chunks.ts';
import { createSlices } from '../../lib/slices.ts';
import { pause, type WallClock } from '../../lib/time.ts';
import { StoreUnavailable } from '../../project/persistence/store-errors.ts';
import type { ClusterDatabase, ListedProject } from '../database/cluster-database.ts';
import type { Dispatch } from '../dispatch.ts';
import { type AskOthers, type ControlHead, Refused, readAll, readBody, toForwarded } from './ask-others.ts';

interface Parts {
  readonly control: ControlParts;
  readonly database: Pick<ClusterDatabase, 'listProjects'>;
  readonly dispatch: Pick<Dispatch, 'run'>;
  readonly ask: AskOthers;
  readonly wall: WallClock;
  /** Handles a request with what this replica has. */
  readonly handleHere: Control['handleHere'];
}

/** Maximum number of ids that are filtered at once by what a caller may see. */
const maxScanned = 1000;
/** Maximum number of owners that are asked at once. */
const maxAsked = 50;

export async function listProjects(parts: Parts, request: ControlRequest): Promise<Reply> {
  const { limit = defaultLimit, cursor } = request.query as OrderQuery;
  const { isAdmin, mayUse, positions } = request.caller;
  const from = cursor === undefined ? '-1' : (positions.unseal(cursor) ?? '');
  if (cursor !== undefined && !/^\d{1,15}$/.test(from)) return toControlProblemReply(badCursor.problem);
  const max = isAdmin ? limit + 1 : maxScanned;
  const visible: ListedProject[] = [];
  let listed: readonly ListedProject[] = [];
  do {
    listed = await parts.database.listProjects(listed.at(-1)?.ordinal ?? Number(from), max);
    visible.push(...listed.filter(({ id }) => mayUse(id)));
  } while (listed.length === max && visible.length <= limit);
  const page = visible.slice(0, limit);
  const items: object[] = [];
  while (items.length < page.length) {
    const next = page.slice(items.length, items.length + maxAsked);
    items.push(...(await Promise.all(next.map((one) => show(parts, request, one)))));
  }
  const last = visible.length > limit ? page.at(-1) : undefined;
  return toJsonReply(200, { items, ...(last && { next: positions.seal(String(last.ordinal)) }) });
}

/** Shows a project as it was when its last owner gave it up, or else by its owner. */
function show(parts: Parts, request: ControlRequest, { id, summary }: ListedProject): object | Promise<object> {
  return summary === undefined ? askOwner(parts, request, id) : showSummary(parts.control, summary, request.caller);
}

/** @throws StoreUnavailable, Refused */
async function askOwner({ dispatch, handleHere }: Parts, request: ControlRequest, project: string): Promise<object> {
  const one = { ...request, params: { projectId: project }, query: {} };
  const sent = toForwarded(one);
  const head: ControlHead = { about: 'control', project, isRead: true, id: 'getProject', request: sent };
  const placed = await dispatch.run({ head, here: () => handleHere('getProject', one) });
  if ('problem' in placed) throw new StoreUnavailable(placed.problem.message);
  if (placed.reply.status !== 200) throw new Refused(placed.reply);
  return readBody(placed.reply);
}

/** What a replica has for a page: the requests that come first, at most one more than the page may have. */
interface Part {
  /** The number of the query's `since`; undefined if the replica does not have that request. */
  readonly after?: number;
  /** Number of all matching requests. */
  readonly total: number;
  readonly items: readonly (Position & { readonly shown: object })[];
  readonly counts?: Counts;
}

/** How often the requests are counted while a client waits for enough of them, in milliseconds. */
const recountMs = 200;

export async function listRequests(parts: Parts, request: ControlRequest): Promise<Reply> {
  const { control, ask } = parts;
  const query: OrderQuery = request.query;
  const list = defineRequests(control, request, undefined);
  const mistake = checkQuery(list, request.query);
  if (mistake) return toControlProblemReply(mistake.problem);
  const order = toOrder(query, request.caller.positions);
  if (!order) return toControlProblemReply(badCursor.problem);

  let after = findAfter(list, request.query);
  const find = async (limit: number): Promise<readonly Part[]> => {
    const limited = { ...request, query: { ...request.query, limit } };
    const others = await ask({ about: 'requests', request: toForwarded(limited), after });
    return [await findRequests(control, limited, after), ...readAll<Part>(others)];
  };
  after ??= (await find(0)).find((part) => part.after !== undefined)?.after;
  if (after === undefined) return toControlProblemReply(unknownSince(list).problem);
  const count = async (): Promise<number> => (await find(0)).reduce((sum, { total }) => sum + total, 0);
  const waited = await awaitEnough(control, request, await countAgain(parts, request, count));
  if ('problem' in waited) return toControlProblemReply(waited.problem);

  const { limit = defaultLimit } = query;
  const all = await find(limit);
  const page = order.toPage(
    all.flatMap(({ items }) => items),
    limit,
  );
  const counts = all.flatMap((part) => (part.counts ? [part.counts] : []));
  return toPiecesReply(
    200,
    toJsonPieces({
      ...page,
      items: page.items.map(({ shown }) => shown),
      ...waited,
      ...(counts.length > 0 && { counts: addCounts(counts) }),
    }),
  );
}

/** Finds the part of this replica. `after`: the number of the query's `since`, if it is known. */
export async function findRequests(
  control: ControlParts,
  request: ControlRequest,
  known: number | undefined,
): Promise<Part> {
  const list = defineRequests(control, request, undefined);
  const after = known ?? findAfter(list, request.query);
  if (after === undefined) return { total: 0, items: [] };
  const { origin } = control.events;
  const query: OrderQuery = request.query;
  const { selected, counts } = await scan(createSlices(control.wall), list, list.items(), request.query, after);
  const placed = selected.map((one) => ({ ...one, origin }));
  const first = toOrder(query, request.caller.positions)?.takeFirst(placed, (query.limit ?? defaultLimit) + 1) ?? [];
  const items = first.map(({ item, ...position }) => ({ ...position, shown: list.show(item) }));
  return { after, total: selected.length, items, ...(counts && { counts }) };
}

/** With `await`, counts the matching requests again and again. */
async function countAgain(
  { wall }: Parts,
  { query }: ControlRequest,
  count: () => Promise<number>,
): Promise<ItemCounter> {
  let total = query['await'] === undefined ? 0 : await count();
  return {
    count: () => total,
    subscribe: (changed) => {
      let hasEnded = false;
      const recount = async (): Promise<void> => {
        for (;;) {
          await pause(wall, recountMs);
          const before = total;
          // A server that does not answer is counted next time.
          if (!hasEnded) total = await count().catch(() => before);
          if (hasEnded) return;
          changed(total - before);
        }
      };
      void recount();
      return () => {
        hasEnded = true;
      };
    },
  };
}

/** Adds counts of several servers. */
function addCounts(all: readonly Counts[]): Counts {
  const add = (name: string): Counts[string] => {
    const counted = all.map((counts) => counts[name] ?? {});
    if (counted.every((one) => typeof one === 'number')) return counted.reduce((sum, one) => sum + one, 0);
    return addUp(counted.flatMap((one) => Object.entries(one)));
  };
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, add(name)]));
}
