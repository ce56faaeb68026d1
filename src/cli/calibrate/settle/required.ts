/** Settles the required fields of entries: what all accepted entries have, and rejected ones lack. */
import type { Json } from '../../../lib/json.ts';
import { operations } from '../../../operations/index.ts';
import { compareEntries } from '../compare/entries.ts';
import { isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import { entriesOf, type Proposal, type Settler } from './settler.ts';

const lists = ['jobs', 'orders', 'routes'] as const;
type ListName = (typeof lists)[number];

/** An entry of a list, and why only the real API rejects it. */
export interface SeenEntry {
  readonly value: Json;
  readonly isAccepted: boolean;
  readonly onlyReal: string | undefined;
}

export const settleRequired: Settler = ({ cases, applied }) =>
  lists.flatMap((list): readonly Proposal[] => {
    const entries = cases.flatMap((one) =>
      operations[one.mapped.operation].list === list ? toEntries(one, list) : [],
    );
    const present = applied.profile.required[list];
    const wanted = findRequired(entries, present);
    if (wanted.length === present.length && wanted.every((name) => present.includes(name))) return [];
    return [toProposal(list, wanted)];
  });

function toProposal(list: ListName, wanted: readonly string[]): Proposal {
  return {
    text: `required.${list}: [${wanted.join(', ')}]`,
    patch: { required: { [list]: wanted } },
    isGuess: true,
    settles: ({ kind, expected, seen }) =>
      (kind === 'required field' && expected.includes(`/${list}`)) ||
      (kind === 'result body' && wanted.some((name) => `${expected} ${seen}`.includes(name))),
  };
}

const stateReason = /exist|unknown|already|not found|duplicate/i;

/** Pairs the entries of a request with the results of both sides. Ids that occur twice are skipped. */
function toEntries({ ours, mapped: { exchange } }: Case, list: ListName): readonly SeenEntry[] {
  const { status, body } = exchange.response;
  if (status >= 300 || ours.kind !== undefined) return [];
  const differences = compareEntries(ours.value, body?.value);
  const failed = isObject(body?.value) && Array.isArray(body.value['failed']) ? body.value['failed'] : [];
  const failedIds = failed.map((one: unknown) => (isObject(one) ? one['id'] : undefined));
  const entries = entriesOf(exchange, list).filter(isObject);
  const ids = entries.map(({ id }) => id);
  return entries
    .filter(({ id }) => ids.indexOf(id) === ids.lastIndexOf(id))
    .map((value) => {
      const id = String(value['id'] ?? '');
      const reason = differences.find((one) => one.id === id && one.ours === undefined)?.real;
      const onlyReal = reason !== undefined && stateReason.test(reason) ? undefined : reason;
      return { value, isAccepted: !failedIds.includes(id), onlyReal };
    });
}

/** Returns the fields that explain the results: `id`, those that stay, and the fewest that rejected entries lack. */
export function findRequired(entries: readonly SeenEntry[], present: readonly string[]): readonly string[] {
  const accepted = entries.filter(({ isAccepted }) => isAccepted);
  const isInAll = (name: string): boolean => accepted.every(({ value }) => name in value);
  const kept = present.filter((name) => name === 'id' || isInAll(name));
  const wanted = new Set(kept);
  let open = entries.filter(({ onlyReal, value }) => onlyReal !== undefined && kept.every((name) => name in value));
  if (accepted.length === 0) return [...wanted];
  const names = Object.keys(accepted[0]?.value ?? {}).filter((name) => isInAll(name) && !wanted.has(name));
  while (open.length > 0) {
    const [best] = names
      .map((name) => ({ name, score: scoreField(name, open) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => b.score - a.score);
    if (!best) break;
    wanted.add(best.name);
    open = open.filter(({ value }) => best.name in value);
  }
  return [...wanted];
}

/** Counts the rejected entries that lack a field; twice if the reason names it. */
function scoreField(name: string, entries: readonly SeenEntry[]): number {
  return entries
    .filter(({ value }) => !(name in value))
    .reduce((sum, { onlyReal = '' }) => sum + (onlyReal.includes(name) ? 2 : 1), 0);
}
