/** Determines which records a request named and which of them it changed, from its journal entry. */
import type { JournalEntry } from '../journal/entry.ts';
import type { Json } from '../lib/json.ts';
import type { Contract } from '../openapi/contract.ts';
import { addFromBody } from '../openapi/identify.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { parseCommand } from '../operations/parse-command.ts';
import type { Project } from '../project/project.ts';

/** A record, by its collection and id in the control API. */
export interface NamedRecord {
  readonly collection: 'jobs' | 'orders' | 'routes' | 'users' | 'locations';
  readonly id: string;
}

/** Maximum number of changed records listed per request. */
const maxChanged = 1000;

/** Returns the records that a request named, whether or not it succeeded. */
export function recordsNamedBy(entry: JournalEntry, contract: Pick<Contract, 'match'>): readonly NamedRecord[] {
  return recordsNamedIn(entry, contract, readBody(entry.requestBody?.read().shown));
}

/** Returns the same for a request whose body was parsed before. */
export function recordsNamedIn(
  { operation: id, method, url, requestHeaders }: JournalEntry,
  contract: Pick<Contract, 'match'>,
  body: Json,
): readonly NamedRecord[] {
  const match = contract.match(method, url, requestHeaders);
  if (id === undefined || !match.found) return [];
  addFromBody(match, body);
  const operation: Operation = operations[id as OperationId];
  try {
    const { command } = parseCommand(operation, match.params, body, new Map());
    const routes = (command.routes ?? []).map((route) => ({ collection: 'routes' as const, id: route.id }));
    const collection = toName(operation);
    const entries = command.entries.map((entry) => ({ collection, id: entry.id }));
    return [...routes, ...entries].filter((named) => named.id !== '');
  } catch {
    // The body of a rejected request may have any shape.
    return [];
  }
}

function toName({ collection }: Operation): NamedRecord['collection'] {
  if (collection === 'devices') return 'locations';
  return collection === 'routes' ? 'jobs' : collection;
}

/** Parses a body. Returns an empty object if it is none. */
export function readBody(text: string | undefined): Json {
  try {
    return toJson(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

function toJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** Returns the records that a request created or changed: all that it named, without failed and pending ones. */
export function recordsChangedBy(
  entry: JournalEntry,
  contract: Contract,
  project: Project | undefined,
): readonly NamedRecord[] {
  if (!project || entry.status < 200 || entry.status > 299) return [];
  const { records } = project.state;
  const named = new Map(recordsNamedBy(entry, contract).map((one) => [`${one.collection}/${one.id}`, one]));
  const unchanged = countEach([
    ...failedIn(readBody(entry.responseBody)),
    ...failedLater(entry, project),
    ...pendingOf(entry, project),
  ]);
  // An id may occur twice, with only one entry failed.
  const times = countEach(recordsNamedBy(entry, contract).map(({ id }) => id));
  return [...named.values()]
    .filter(({ id }) => (times.get(id) ?? 0) > (unchanged.get(id) ?? 0))
    .filter(({ collection, id }) => records[collection === 'locations' ? 'devices' : collection].has(id))
    .slice(0, maxChanged);
}

function countEach(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function failedIn(response: Json): readonly string[] {
  const { failed } = response;
  // A response from a scenario may contain any list.
  return Array.isArray(failed)
    ? failed.map((one: Json | null) => one?.['id']).filter((id) => typeof id === 'string')
    : [];
}

function failedLater({ id }: JournalEntry, { state }: Project): readonly string[] {
  return [...state.callbacks.values()]
    .filter(({ requestId }) => requestId === id)
    .flatMap(({ body }) => failedIn((body as { data?: Json }).data ?? {}));
}

function pendingOf({ id }: JournalEntry, { state }: Project): readonly string[] {
  return [...state.due].flatMap(({ what }) => {
    if (what.kind !== 'instruction' || what.instruction.requestId !== id) return [];
    const { task: command, failures } = what.instruction;
    return [...command.entries, ...(command.routes ?? []), ...failures].map((one) => one.id);
  });
}
