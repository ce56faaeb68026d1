/** Settles the required fields of entries: what all accepted entries have, and rejected ones lack. */
import type { Json } from '../../../lib/json.ts';
import type { Profile } from '../../../openapi/profile/profile.ts';
import { type OperationId, operations } from '../../../operations/index.ts';
import { compareEntries, failuresOf } from '../compare/entries.ts';
import { isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import { entriesOf, type Proposal, type Settler } from './settler.ts';

/** A list of required fields in the profile, and the entries that it is about. */
interface RequiredList {
  readonly key: string;
  readonly list: 'jobs' | 'orders' | 'routes';
  readonly inRoute?: true;
  has(operation: OperationId): boolean;
  read(profile: Profile): readonly string[];
  patch(fields: readonly string[]): Json;
}

const isUpdate = (operation: OperationId): boolean =>
  operation.includes('Update') || operation === 'syncCreateJobsInSubproject';
const hasList = (operation: OperationId, list: string): boolean => operations[operation].list === list;

const requiredLists: readonly RequiredList[] = [
  ...(['create', 'update'] as const).map(
    (variant): RequiredList => ({
      key: `jobs.${variant}`,
      list: 'jobs',
      has: (operation) => hasList(operation, 'jobs') && isUpdate(operation) === (variant === 'update'),
      read: ({ required }) => required.jobs[variant],
      patch: (fields) => ({ jobs: { [variant]: fields } }),
    }),
  ),
  {
    key: 'jobs.inRoute',
    list: 'routes',
    inRoute: true,
    has: (operation) => hasList(operation, 'routes'),
    read: ({ required }) => required.jobs.inRoute,
    patch: (fields) => ({ jobs: { inRoute: fields } }),
  },
  ...(['orders', 'routes'] as const).map(
    (list): RequiredList => ({
      key: list,
      list,
      has: (operation) => hasList(operation, list),
      read: ({ required }) => required[list],
      patch: (fields) => ({ [list]: fields }),
    }),
  ),
];

/** An entry of a list, and why only the real API rejects it. */
export interface SeenEntry {
  readonly value: Json;
  readonly isAccepted: boolean;
  readonly onlyReal: string | undefined;
}

export const settleRequired: Settler = ({ cases, applied }) =>
  requiredLists.flatMap((about): readonly Proposal[] => {
    const entries = cases.flatMap((one) => (about.has(one.mapped.operation) ? toEntries(one, about) : []));
    const present = about.read(applied.profile);
    const wanted = findRequired(entries, present);
    if (wanted.length === present.length && wanted.every((name) => present.includes(name))) return [];
    return [toProposal(about, wanted)];
  });

function toProposal(about: RequiredList, wanted: readonly string[]): Proposal {
  return {
    text: `required.${about.key}: [${wanted.join(', ')}]`,
    patch: { required: about.patch(wanted) },
    isGuess: true,
    settles: ({ operation, kind, expected, seen }) =>
      operation !== '*' &&
      about.has(operation) &&
      (kind === 'required field' ||
        (kind === 'result body' && wanted.some((name) => `${expected} ${seen}`.includes(name)))),
  };
}

const stateReason = /exist|unknown|already|not found|duplicate/i;

/** Pairs the entries of a request with the results of both sides. Ids that occur twice are skipped. */
function toEntries(
  { ours, mapped: { exchange } }: Case,
  { list, inRoute }: Pick<RequiredList, 'list' | 'inRoute'>,
): readonly SeenEntry[] {
  const { status, body } = exchange.response;
  if (status >= 300 || ours.kind !== undefined) return [];
  const differences = compareEntries(ours.value, body?.value);
  const failedIds = (failuresOf(body?.value) ?? []).map(({ id }) => id);
  const listed = entriesOf(exchange, list).filter(isObject);
  const entries = inRoute ? listed.flatMap(({ jobs }) => (Array.isArray(jobs) ? jobs.filter(isObject) : [])) : listed;
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
function findRequired(entries: readonly SeenEntry[], present: readonly string[]): readonly string[] {
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
