/** Lists the requests that all replicas have received or applied, in order of time. */
import { badCursor, type ControlParts, type ControlRequest } from '../../control-api/handler.ts';
import { findAfter, unknownSince } from '../../control-api/lists/answer.ts';
import { awaitEnough, countSelected, type ItemCounter } from '../../control-api/lists/awaiting.ts';
import { defaultLimit, type Order, type OrderQuery, type Position, toOrder } from '../../control-api/lists/order.ts';
import { addUp, type Counts, checkNames, scan } from '../../control-api/lists/select.ts';
import { defineRequests } from '../../control-api/requests/list.ts';
import { toJsonPieces } from '../../http/json-pieces.ts';
import { type Reply, toControlProblemReply, toPiecesReply } from '../../http/reply.ts';
import { readPositions, toEventId } from '../../journal/event-id.ts';
import { inTurn } from '../../lib/in-turn.ts';
import type { Problem } from '../../lib/problem.ts';
import { createSlices } from '../../lib/slices.ts';
import { type AskOthers, readBody } from './ask-others.ts';
import { type FollowParts, followAll } from './follow-all.ts';
import { type ForwardedRequest, toForwarded } from './question.ts';

interface Parts extends FollowParts {
  readonly control: ControlParts;
  readonly ask: AskOthers;
}

/** The first requests of a page that one replica has, at most one more than the page may have. */
interface Part {
  readonly items: readonly (Position & { readonly shown: object })[];
  readonly counts?: Counts;
}

/** How long changes are collected until the requests are counted again, in milliseconds. */
const collectMs = 50;

export async function listRequests(parts: Parts, request: ControlRequest): Promise<Reply> {
  const { control, ask } = parts;
  const forwarded = toForwarded(request);
  const list = defineRequests(control, request, undefined);
  const query: OrderQuery = request.query;
  const unknown = checkNames(list, request.query);
  if (unknown) return toControlProblemReply(unknown.problem);
  const since = await findSinceAnywhere(parts, request, forwarded);
  if (since === undefined) return toControlProblemReply(unknownSince(list).problem);
  const waited = await waitForEnough(parts, request, since);
  if ('problem' in waited) return toControlProblemReply(waited.problem);
  const order = readOrder(query);
  if (!order) return toControlProblemReply(badCursor.problem);
  const others = await ask({ about: 'requests', since, request: forwarded });
  const all = [await findRequests(control, request, since), ...others.map((reply) => readBody<Part>(reply))];
  const items = all.flatMap((part) => part.items);
  const page = order.toPage(items, query.limit ?? defaultLimit);
  const next = page.next === undefined || query.sort !== undefined ? page.next : toNext(query.cursor, page.items);
  const counts = all.flatMap((part) => (part.counts ? [part.counts] : []));
  return toPiecesReply(
    200,
    toJsonPieces({
      items: page.items.map(({ shown }) => shown),
      ...(next !== undefined && { next }),
      ...waited,
      ...(counts.length > 0 && { counts: addCounts(counts) }),
    }),
  );
}

/** Finds the matching requests of this replica that come first on a page. */
export async function findRequests(control: ControlParts, request: ControlRequest, since: number): Promise<Part> {
  const { origin } = control.events;
  const query: OrderQuery = request.query;
  const list = defineRequests(control, request, undefined);
  const { selected, counts } = await scan(createSlices(control.wall), list, list.items(), request.query, since);
  const isLeft = query.sort === undefined ? toPositionTest(query, origin) : () => true;
  const left = selected.flatMap((one) => (isLeft(one.number) ? { ...one, origin } : []));
  const first = readOrder(query)?.takeFirst(left, (query.limit ?? defaultLimit) + 1) ?? [];
  return {
    items: first.map(({ item, ...position }) => ({ ...position, shown: list.show(item) })),
    ...(counts && { counts }),
  };
}

/** Returns the order of a list. A cursor of a list by time has the position at each server. @returns undefined if it has another form */
function readOrder({ cursor, ...query }: OrderQuery): Order | undefined {
  if (query.sort !== undefined) return toOrder({ ...query, ...(cursor !== undefined && { cursor }) });
  const isCursor = cursor === undefined || readPositions(cursor).size === cursor.split('.').length;
  return isCursor ? toOrder(query) : undefined;
}

/** Returns whether a server's number comes after the cursor. What a server without a position has received since is newer. */
function toPositionTest({ cursor = '', order }: OrderQuery, origin: string): (number: number) => boolean {
  const positions = readPositions(cursor);
  if (order !== 'newest') return (number) => number > (positions.get(origin) ?? 0);
  if (positions.size === 0) return () => true;
  const before = positions.get(origin) ?? Math.max(...positions.values());
  return (number) => number < before;
}

/** Returns the cursor after a page: the positions before it, moved on by its items. */
function toNext(cursor: string | undefined, items: readonly Position[]): string {
  const positions = readPositions(cursor ?? '');
  for (const { origin, number } of items) positions.set(origin, number);
  return toEventId(positions);
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

/** Returns the number of the request in the query's `since`, as far as this replica has it. */
export function findSince(control: ControlParts, request: ControlRequest): number | undefined {
  return findAfter(defineRequests(control, request, undefined), request.query);
}

async function findSinceAnywhere(
  { control, ask }: Parts,
  request: ControlRequest,
  forwarded: ForwardedRequest,
): Promise<number | undefined> {
  const own = findSince(control, request);
  if (own !== undefined) return own;
  const others = await ask({ about: 'since', request: forwarded });
  return others.flatMap((reply) => readBody<number | null>(reply) ?? []).at(0);
}

/** With `await`, waits until enough requests match at all servers together. Returns the fields for the response. */
async function waitForEnough(
  parts: Parts,
  request: ControlRequest,
  since: number,
): Promise<{ satisfied?: boolean } | { readonly problem: Problem }> {
  const { control } = parts;
  if (request.query['await'] === undefined) return {};
  const others = await countOthers(parts, request, since);
  const own = countRequests(control, request, since);
  try {
    return await awaitEnough(control, request, {
      count: () => own.count() + others.count(),
      subscribe: (changed) => inTurn(own.subscribe(changed), others.subscribe(changed)),
    });
  } finally {
    others.close();
  }
}

/** Counts the matching requests of this replica. */
export function countRequests(control: ControlParts, request: ControlRequest, since: number): ItemCounter {
  return countSelected(defineRequests(control, request, undefined), request.query, since);
}

/** Counts the matching requests of all other replicas, and again after their events. */
async function countOthers(
  parts: Parts,
  request: ControlRequest,
  since: number,
): Promise<ItemCounter & { close(): void }> {
  const { ask, wall, control } = parts;
  const events = await followAll(control.events, parts, { project: undefined, lastId: undefined });
  let total = 0;

  async function refresh(): Promise<void> {
    const replies = await ask({ about: 'count', since, request: toForwarded(request) });
    total = replies.reduce((sum, reply) => sum + readBody<number>(reply), 0);
  }

  await refresh();
  return {
    count: () => total,
    subscribe: (changed) => {
      let cancel: (() => void) | undefined;
      const recount = async (): Promise<void> => {
        cancel = undefined;
        const before = total;
        // A server that does not answer is counted after the next event.
        await refresh().catch(() => undefined);
        changed(total - before);
      };
      const send = (): void => {
        cancel ??= wall.after(collectMs, () => void recount());
      };
      const end = events.subscribe({
        project: undefined,
        wantsHints: true,
        isServer: true,
        send,
        end: () => undefined,
      });
      return inTurn(end, () => cancel?.());
    },
    close: events.giveUp,
  };
}
