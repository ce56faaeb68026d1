/** Lists the requests that all replicas have received or applied, in order of time. */
import { badCursor, type ControlParts, type ControlRequest } from '../../../control-api/handler.ts';
import { findAfter, unknownSince } from '../../../control-api/lists/answer.ts';
import { awaitEnough, countSelected } from '../../../control-api/lists/awaiting.ts';
import { defaultLimit, type OrderQuery, toOrder } from '../../../control-api/lists/order.ts';
import { checkNames, scan } from '../../../control-api/lists/select.ts';
import { defineRequests } from '../../../control-api/requests/list.ts';
import { toJsonPieces } from '../../../http/json-pieces.ts';
import { type Reply, toControlProblemReply, toPiecesReply } from '../../../http/reply.ts';
import { inTurn } from '../../../lib/in-turn.ts';
import type { Problem } from '../../../lib/problem.ts';
import { createSlices } from '../../../lib/slices.ts';
import { type AskOthers, readBody } from '../ask-others.ts';
import { type After, type ForwardedRequest, toForwarded } from '../question.ts';
import { addCounts, type MergedPage, mergeNumbers, mergeSorted, type Numbered, readCursor } from './merge-numbers.ts';
import { createOtherCounts, type OtherCountsParts } from './other-counts.ts';

export interface ListRequestsParts extends Omit<OtherCountsParts, 'request' | 'since'> {
  readonly control: ControlParts;
  readonly ask: AskOthers;
}

/** Finds the numbers of this replica's matching requests: at most one more than the page may have. */
export async function findNumbers(
  control: ControlParts,
  request: ControlRequest,
  { since, cursor }: After,
  limit: number,
): Promise<Numbered> {
  const { origin } = control.events;
  const { query } = request;
  const list = defineRequests(control, request, undefined);
  const { selected, counts } = await scan(createSlices(control.wall), list, list.items(), query, since);
  if (query['sort'] !== undefined) {
    const all = selected.map(({ value, number }) => ({ value, number, origin }));
    const positions = toOrder(query)?.takeFirst(all, limit + 1) ?? [];
    return { origin, numbers: [], positions, ...(counts && { counts }) };
  }
  const numbers = selected.map(({ number }) => number);
  const remaining = query['order'] === 'newest' ? toOlder(numbers, origin, cursor) : toNewer(numbers, origin, cursor);
  return { origin, numbers: remaining.slice(0, limit + 1), ...(counts && { counts }) };
}

type Cursor = After['cursor'];

/** Returns the numbers after the cursor, the oldest first. */
function toNewer(numbers: readonly number[], origin: string, cursor: Cursor): readonly number[] {
  const after = cursor[origin] ?? 0;
  return numbers.filter((number) => number > after);
}

/** Returns the numbers before the cursor, the newest first. What a server without a position has received since is newer. */
function toOlder(numbers: readonly number[], origin: string, cursor: Cursor): readonly number[] {
  const positions = Object.values(cursor);
  if (positions.length === 0) return numbers.toReversed();
  const before = cursor[origin] ?? Math.max(...positions);
  return numbers.filter((number) => number < before).reverse();
}

/** Shows requests of this replica by their numbers. Those that were dropped meanwhile are missing. */
export function showNumbered(
  control: ControlParts,
  request: ControlRequest,
  numbers: readonly number[],
): readonly (readonly [number, object])[] {
  const wanted = new Set(numbers);
  const { items, show } = defineRequests(control, request, undefined);
  const entries = items().filter(({ number }) => wanted.has(number));
  return entries.map((entry) => [entry.number, show(entry)]);
}

export async function listRequests(parts: ListRequestsParts, request: ControlRequest): Promise<Reply> {
  const { control, ask } = parts;
  const forwarded = toForwarded(request);
  const list = defineRequests(control, request, undefined);
  const unknown = checkNames(list, request.query);
  if (unknown) return toControlProblemReply(unknown.problem);
  const since = await findSinceAnywhere(parts, request, forwarded);
  if (since === undefined) return toControlProblemReply(unknownSince(list).problem);
  const waited = await waitForEnough(parts, request, since);
  if ('problem' in waited) return toControlProblemReply(waited.problem);
  const { limit = defaultLimit } = request.query as OrderQuery;
  const paging = toPaging(request.query);
  if (!paging) return toControlProblemReply(badCursor.problem);
  const after = { since, cursor: paging.cursor };
  const others = await ask.all({ about: 'numbers', after, limit, request: forwarded });
  const own = await findNumbers(control, request, after, limit);
  const all = [own, ...others.map((reply) => readBody<Numbered>(reply))];
  const { items, next } = paging.merge(all, limit);
  const shown = await showAll(parts, request, items);
  const found = items.flatMap(({ origin, number }) => shown.get(`${origin}-${number}`) ?? []);
  const counts = own.counts && { counts: addCounts(all.flatMap((one) => (one.counts ? [one.counts] : []))) };
  return toPiecesReply(200, toJsonPieces({ items: found, ...(next !== undefined && { next }), ...waited, ...counts }));
}

interface Paging {
  readonly cursor: Cursor;
  merge(all: readonly Numbered[], limit: number): MergedPage;
}

/** Returns how a query divides the list into pages. @returns undefined if its cursor is invalid */
function toPaging(query: OrderQuery): Paging | undefined {
  if (query.sort !== undefined) {
    const sorted = toOrder(query);
    // Each server reads the cursor of a sorted list itself.
    return sorted && { cursor: {}, merge: (all, limit) => mergeSorted(all, limit, sorted) };
  }
  const cursor = readCursor(query.cursor);
  return cursor && { cursor, merge: (all, limit) => mergeNumbers(all, limit, cursor, query.order) };
}

/** Returns the number of the request in the query's `since`, as far as this replica has it. */
export function findSince(control: ControlParts, request: ControlRequest): number | undefined {
  return findAfter(defineRequests(control, request, undefined), request.query);
}

async function findSinceAnywhere(
  { control, ask }: ListRequestsParts,
  request: ControlRequest,
  forwarded: ForwardedRequest,
): Promise<number | undefined> {
  const own = findSince(control, request);
  if (own !== undefined) return own;
  const others = await ask.all({ about: 'since', request: forwarded });
  return others.flatMap((reply) => readBody<number | null>(reply) ?? []).at(0);
}

/** With `await`, waits until enough requests match at all servers together. Returns the fields for the response. */
async function waitForEnough(
  parts: ListRequestsParts,
  request: ControlRequest,
  since: number,
): Promise<{ satisfied?: boolean } | { readonly problem: Problem }> {
  const { control } = parts;
  if (request.query['await'] === undefined) return {};
  const others = createOtherCounts({ ...parts, request: toForwarded(request), since });
  const own = countSelected(defineRequests(control, request, undefined), request.query, since);
  try {
    return await awaitEnough(control, request, {
      ready: others.ready,
      count: () => own.count() + others.count(),
      subscribe: (changed) => inTurn(own.subscribe(changed), others.subscribe(changed)),
    });
  } finally {
    others.close();
  }
}

/** Shows the requests of a page, each by the server that has it. */
async function showAll(
  { control, ask }: ListRequestsParts,
  request: ControlRequest,
  items: readonly { readonly origin: string; readonly number: number }[],
): Promise<ReadonlyMap<string, object>> {
  const { origin: own } = control.events;
  const shown = new Map<string, object>();
  const ownNumbers = items.filter(({ origin }) => origin === own).map(({ number }) => number);
  for (const [number, one] of showNumbered(control, request, ownNumbers)) shown.set(`${own}-${number}`, one);
  if (ownNumbers.length === items.length) return shown;
  const numbers: Record<string, number[]> = {};
  for (const { origin, number } of items) {
    numbers[origin] ??= [];
    numbers[origin].push(number);
  }
  const others = await ask.all({ about: 'entries', numbers, request: toForwarded(request) });
  for (const reply of others) {
    const { origin, entries } = readBody<ShownEntries>(reply);
    for (const [number, one] of entries) shown.set(`${origin}-${number}`, one);
  }
  return shown;
}

/** Requests of one server, by number. */
export interface ShownEntries {
  readonly origin: string;
  readonly entries: readonly (readonly [number, object])[];
}
