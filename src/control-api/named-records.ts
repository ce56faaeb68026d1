/** Determines which records a request named and which of them it changed, from its journal entry. */
import type { FailedEntry } from '../callbacks/callback.ts';
import type { JournalEntry } from '../journal/entry.ts';
import type { Json } from '../lib/json.ts';
import type { Contract } from '../openapi/contract.ts';
import { addFromBody } from '../openapi/identify.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import { parseCommand } from '../operations/parse-command.ts';
import type { Project } from '../project/project.ts';
import { idsIn, type LaterEffects } from './requests/later-effects.ts';

/** A record, by its collection and id in the control API. */
export interface NamedRecord {
  readonly collection: 'jobs' | 'orders' | 'routes' | 'users' | 'locations';
  readonly id: string;
}

/** Maximum number of changed records listed per request. */
const maxChanged = 1000;

/** Returns the records that a request named, whether or not it succeeded. */
export function recordsNamedBy(entry: JournalEntry, contract: Pick<Contract, 'match'>): readonly NamedRecord[] {
  return recordsNamedIn(entry, contract, parseBody(entry.requestBody?.read().shown));
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
    const collection = collectionOf(operation);
    const entries = command.entries.map((entry) => ({ collection, id: entry.id }));
    return [...routes, ...entries].filter((named) => named.id !== '');
  } catch {
    // The body of a rejected request may have any shape.
    return [];
  }
}

export function collectionOf({ collection }: Operation): NamedRecord['collection'] {
  if (collection === 'devices') return 'locations';
  return collection === 'routes' ? 'jobs' : collection;
}

/** Reads a JSON object. Returns an empty one for everything else. */
export function parseBody(text: string | undefined): Json {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

/** Returns the failures that a response lists. Undefined if it has no such list: a scenario may send anything. */
export function failedIn({ failed }: Json): readonly FailedEntry[] | undefined {
  if (!Array.isArray(failed)) return undefined;
  return failed.flatMap((one: Partial<FailedEntry> | null) =>
    typeof one?.id === 'string' ? [{ id: one.id, reason: String(one.reason ?? 'without a reason') }] : [],
  );
}

/** Returns the records that a request created or changed: all that it named, without failed and pending ones. */
export function recordsChangedBy(
  entry: JournalEntry,
  contract: Contract,
  effects: LaterEffects | undefined,
  project: Project | undefined,
): readonly NamedRecord[] {
  if (!project || entry.status < 200 || entry.status > 299) return [];
  const { records } = project.state;
  const all = recordsNamedBy(entry, contract);
  const named = new Map(all.map((one) => [`${one.collection}/${one.id}`, one]));
  const { callbacks = [], due = [] } = effects ?? {};
  const failed = callbacks.flatMap(({ body }) => body.data.failed);
  const unchanged = countEach([
    ...[...(failedIn(parseBody(entry.responseBody)) ?? []), ...failed].map(({ id }) => id),
    ...due.flatMap(({ command }) => idsIn(command)),
  ]);
  // An id may occur twice, with only one entry failed.
  const times = countEach(all.map(({ id }) => id));
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
