/** Makes a scenario in which the next requests meet the failure that a recorded request met. */
import type { Callback } from '../../callbacks/callback.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { groupBy } from '../../lib/group-by.ts';
import { writeScenario } from '../../scenarios/write.ts';
import { readJson } from '../named-records.ts';
import type { LaterEffects } from './later-effects.ts';
import { isSuccess, readFailures } from './show.ts';

interface Rule {
  readonly name: string;
  readonly when: object;
  readonly then: object;
}

type Failed = readonly { readonly id: string; readonly reason: string }[];

/**
 * Returns the text of the scenario: the response if the request was rejected or failed as a whole, else its rejected
 * entries, and those that failed later, with their reasons and their delays.
 */
export function writeRepeating(entry: JournalEntry, effects: LaterEffects | undefined): Promise<string> {
  const { id, method, url, operation, status, fault } = entry;
  const isAccepted = isSuccess(status) && fault === undefined;
  const rules = isAccepted ? entryRules(entry, effects?.callbacks ?? []) : [sameResponse(entry)];
  const note =
    rules.length === 0 ? '\n The request met no failure that a rule can repeat: choose what the next ones meet.' : '';
  const scenario = {
    name: `like-${id.replaceAll('_', '-').toLowerCase()}`,
    description: `Repeats the failures of request ${id}.`,
    rules: rules.length === 0 ? [{ name: 'fails later', when: { operation, item: 1 }, then: someFailure }] : rules,
  };
  return writeScenario(scenario, `Created from ${method} ${url}${note}`);
}

const someFailure = { fail: 'Address could not be geocoded', after: '2s' };

/** Returns the response or the broken connection, after which the request takes effect if it did. */
function sameResponse({
  operation,
  status,
  fault,
  observedFailure,
  responseHeaders,
  responseBody,
}: JournalEntry): Rule {
  const body = readJson(responseBody);
  const kept = ['retry-after', ...(typeof body === 'string' ? ['content-type'] : [])];
  const headers = Object.fromEntries(Object.entries(responseHeaders).filter(([name]) => kept.includes(name)));
  const respond = {
    status,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body }),
  };
  const processed = observedFailure?.processed === true && { processed: true };
  return {
    name: 'same response',
    when: { operation },
    then: { ...(status > 0 && { respond }), ...(fault && { connection: fault }), ...processed },
  };
}

/** Entries fail after the same time on the project's clock. A callback that was dropped is dropped again. */
function entryRules(entry: JournalEntry, callbacks: readonly Callback[]): readonly Rule[] {
  const ids = idsOf(entry);
  // Rules apply to the jobs of routes, not to a route itself.
  const toRepeated = (failed: Failed) =>
    byReason(entry.named?.jobs ? failed.filter(({ id }) => ids.includes(id)) : failed);
  const toRule = (name: string, of: readonly string[], then: object): Rule => {
    return { name, when: { operation: entry.operation, item: toItem(of, ids) }, then };
  };
  const { failed } = readFailures(entry);
  const rejected = toRepeated(failed);
  if (rejected.length === 0 && failed.length > 0 && failed.length === entry.named?.jobs?.length)
    return [sameResponse(entry)];
  const later = callbacks.flatMap(({ body: { timestamp, data }, state }) => {
    const ms = Date.parse(timestamp) - Date.parse(entry.at);
    const after = ms > 0 ? { after: `${ms}ms`.replace(/000ms$/, 's') } : {};
    const dropped = state === 'dropped' ? { callback: { drop: true } } : {};
    return toRepeated(data.failed).map(([fail, of]) => [of, { fail, ...after, ...dropped }] as const);
  });
  return [
    ...rejected.map(([refuse, of], index) => toRule(`rejected ${index + 1}`, of, { refuse })),
    ...later.map(([of, then], index) => toRule(`failed later ${index + 1}`, of, then)),
  ];
}

/** Returns the ids of entries by their reason. */
function byReason(failed: Failed): readonly (readonly [reason: string, ids: readonly string[]])[] {
  return [...groupBy(failed, ({ reason }) => reason)].map(([reason, all]) => [reason, all.map(({ id }) => id)]);
}

/** Returns the condition on entries: their numbers, because other requests have other ids; ids if a number is unknown. */
function toItem(failed: readonly string[], ids: readonly string[]): unknown {
  const byId = new Map(ids.map((id, index) => [id, index + 1]));
  const numbers = failed.map((id) => byId.get(id) ?? 0);
  const isKnown = numbers.every((number) => number > 0) && byId.size === ids.length;
  if (isKnown) return numbers.length === 1 ? numbers[0] : numbers;
  const known = failed.filter((id) => id !== '');
  return known.length === 0 ? 1 : { id: known };
}

/** Returns the ids of the entries, in the order in which rules number them: in routes, the jobs of all routes. */
function idsOf({ named }: JournalEntry): readonly string[] {
  return named?.ids.slice(named.jobs?.length) ?? [];
}
