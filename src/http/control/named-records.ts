/** Which records a request named, and which of them it has changed: read from what the journal keeps of it, when asked. */
import type { Json } from '../../base/json.ts';
import type { Contract } from '../../contract/contract.ts';
import type { JournalEntry } from '../../journal/journal.ts';
import { type Operation, type OperationId, operations } from '../../operations/index.ts';
import { toTask } from '../../operations/to-task.ts';
import type { World } from '../../world.ts';

/** A record by the names that the control API has for them. */
export interface NamedRecord {
  readonly collection: 'jobs' | 'orders' | 'routes' | 'users' | 'locations';
  readonly id: string;
}

/** More are not told of one request. */
const mostChanged = 1000;

/** The records that a request named, whatever became of it. */
export function namedBy(
  { operation: id, method, url, requestBody }: JournalEntry,
  contract: Contract,
): readonly NamedRecord[] {
  const match = contract.match(method, url);
  const body = parse(requestBody?.read().shown);
  if (id === undefined || !match.found) return [];
  const operation: Operation = operations[id as OperationId];
  try {
    const { task } = toTask(operation, match.params, body, new Map());
    const routes = (task.routes ?? []).map((route) => ({ collection: 'routes' as const, id: route.id }));
    const collection = toName(operation);
    const entries = task.entries.map((entry) => ({ collection, id: entry.id }));
    return [...routes, ...entries].filter((named) => named.id !== '');
  } catch {
    // A body that the contract refused may have any shape.
    return [];
  }
}

function toName({ collection }: Operation): NamedRecord['collection'] {
  if (collection === 'devices') return 'locations';
  return collection === 'routes' ? 'jobs' : collection;
}

function parse(text: string | undefined): Json {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

/** Those that it made or changed: what it named without what failed, at once or later, and what is still to come. */
export function changedBy(entry: JournalEntry, contract: Contract, world: World | undefined): readonly NamedRecord[] {
  if (!world || entry.status < 200 || entry.status > 299) return [];
  const { records } = world.data;
  const named = new Map(namedBy(entry, contract).map((one) => [`${one.collection}/${one.id}`, one]));
  const idle = countEach([
    ...failedIn(parse(entry.responseBody)),
    ...failedLater(entry, world),
    ...pendingOf(entry, world),
  ]);
  // The same id may stand twice, and one of the two have failed.
  const times = countEach(namedBy(entry, contract).map(({ id }) => id));
  return [...named.values()]
    .filter(({ id }) => (times.get(id) ?? 0) > (idle.get(id) ?? 0))
    .filter(({ collection, id }) => records[collection === 'locations' ? 'devices' : collection].has(id))
    .slice(0, mostChanged);
}

function countEach(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function failedIn(answer: Json): readonly string[] {
  const failed = answer['failed'];
  return Array.isArray(failed) ? failed.map((one) => String((one as Json)['id'])) : [];
}

function failedLater({ id }: JournalEntry, { data }: World): readonly string[] {
  return [...data.callbacks.values()]
    .filter(({ requestId }) => requestId === id)
    .flatMap(({ body }) => failedIn((body as { data?: Json }).data ?? {}));
}

function pendingOf({ id }: JournalEntry, { data }: World): readonly string[] {
  return data.due.flatMap(({ what }) => {
    if (what.kind !== 'instruction' || what.instruction.requestId !== id) return [];
    const { task, failures } = what.instruction;
    return [...task.entries, ...(task.routes ?? []), ...failures].map((one) => one.id);
  });
}
