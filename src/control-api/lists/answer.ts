/** Answers with a page of a list: of the items that its query selects, once there are enough. */
import {
  badCursor,
  type ControlParts,
  type ControlRequest,
  okInPieces,
  type Rejection,
  reject,
  slicesFor,
} from '../handler.ts';
import { awaitEnough, countSelected } from './awaiting.ts';
import type { List } from './list.ts';
import { defaultLimit, type OrderQuery, toOrder } from './order.ts';
import { type Counts, checkQuery, scan } from './select.ts';

type Query = ControlRequest['query'];

interface Listed<Item> {
  readonly items: Iterable<Item>;
  readonly next: string | undefined;
  readonly satisfied?: boolean;
  readonly counts?: Counts | undefined;
}

/** Returns the number of the item in the query's `since`; -1 without it, undefined if the list has no such item. */
export function findAfter<Item>(
  { since, items, numberOf, isVisible }: List<Item>,
  { since: id }: Query,
): number | undefined {
  if (id === undefined || !since) return -1;
  const found = items().find((item) => since.idOf(item) === id && isVisible?.(item) !== false);
  return found && numberOf?.(found);
}

export function unknownSince({ since }: Pick<List<never>, 'since'>): Rejection {
  return reject('invalid', `expected the id of ${since?.noun}`, 'query:since');
}

/** Answers with a page of a list. `head`: the fields before the items. */
export async function answerList<Item>(
  parts: ControlParts,
  request: ControlRequest,
  list: List<Item>,
  head: object = {},
): Promise<ReturnType<typeof okInPieces> | Rejection> {
  const listed = await listItems(parts, request, list);
  return 'problem' in listed ? listed : okInPieces({ ...head, ...listed });
}

/** Lists a page; with `await`, waits until enough items match. The items are shown one by one, while they are sent. */
export async function listItems<Item, Shown extends object>(
  parts: ControlParts,
  request: ControlRequest,
  list: List<Item, Shown>,
): Promise<Listed<Shown> | Rejection> {
  const { query } = request;
  const mistake = checkQuery(list, query);
  if (mistake) return mistake;
  const after = findAfter(list, query);
  if (after === undefined) return unknownSince(list);
  const waited = await awaitEnough(parts, request, countSelected(list, query, after));
  if ('problem' in waited) return waited;
  const items = await (list.everywhere?.() ?? list.items());
  const { selected, counts } = await scan(slicesFor(parts, request), list, items, query, after);
  const { limit = defaultLimit } = query as OrderQuery;
  const page = toOrder(query, request.caller.positions, list.timeOf !== undefined)?.toPage(selected, limit);
  if (!page) return badCursor;
  return { ...page, items: showAll(list, page.items), ...waited, counts };
}

function* showAll<Item, Shown extends object>(
  { show }: List<Item, Shown>,
  items: Iterable<{ readonly item: Item }>,
): Generator<Shown> {
  for (const { item } of items) yield show(item);
}
