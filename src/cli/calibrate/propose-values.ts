/** Lists values of the profile whose effects only a trial shows. */
import { isObject, type Json } from '../../lib/json.ts';
import { statusesOf } from '../../openapi/document.ts';
import { type OperationId, operations } from '../../operations/index.ts';
import type { Evaluation } from './compare.ts';
import { compareFailures, entriesOf } from './exchange.ts';
import { shippedDocument } from './mistakes.ts';
import type { Case } from './play.ts';
import { type Proposal, propose } from './propose.ts';
import { isCreation, shippedFacts } from './shipped.ts';

interface Choice {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
  /** Whether it may change the response of an operation. */
  readonly isAbout: (operation: OperationId) => boolean;
}

const createsIn = (collection: string) => (id: OperationId) =>
  operations[id].collection === collection && isCreation(id);
const isRegistration = (id: OperationId): boolean => id === 'registerUser';

const choices: readonly Choice[] = [
  { keys: ['nulls'], values: ['reject', 'ignore'], isAbout: () => true },
  ...['jobs', 'orders', 'routes', 'users'].map((name) => ({
    ...{ keys: ['duplicates', name], values: ['reject', 'replace'], isAbout: createsIn(name) },
  })),
  { keys: ['duplicates', 'routeJobs'], values: ['attach', 'replace', 'reject'], isAbout: createsIn('routes') },
  { keys: ['users', 'attendantAccess'], values: ['required', 'default'], isAbout: isRegistration },
  { keys: ['users', 'withoutType'], values: ['reject', 'driver', 'attendant'], isAbout: isRegistration },
  { keys: ['otherSubproject'], values: ['warn', 'reject'], isAbout: (id) => !isCreation(id) },
];

/** Returns a proposal for each value to try. */
export function proposeValues(evaluation: Evaluation): readonly Proposal[] {
  const { findings, applied } = evaluation;
  const inResponses = findings.filter(({ kind }) => !['path', 'header', 'unknown field'].includes(kind));
  const different = [...new Set(inResponses.map(({ operation }) => operation))].filter((id) => id !== '*');
  const modes = different
    .filter((id) => shippedFacts(id).canBeAsync)
    .map((id) => ({ keys: ['operations', id, 'mode'], values: [otherMode(evaluation, id)], isAbout: () => true }));
  const all: readonly Choice[] = [...listRequired(evaluation), ...choices, ...modes, ...listTransitions(evaluation)];
  return all
    .filter(({ isAbout }) => different.some(isAbout))
    .flatMap(({ keys, values }) => {
      const present = JSON.stringify(readKey(applied.profile, keys));
      return values.filter((value) => JSON.stringify(value) !== present).map((value) => propose(keys, value));
    });
}

function readKey(profile: object, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), profile);
}

function otherMode({ applied: { profile } }: Evaluation, id: OperationId): string {
  return (profile.operations[id]?.mode ?? operations[id].mode) === 'sync' ? 'async' : 'sync';
}

interface Rejection {
  readonly entry: Json;
  readonly reason: string;
}

/** Returns the entries that only the real API rejects. */
function listRejected({ ours, mapped }: Case): readonly Rejection[] {
  const { status, body } = mapped.exchange.response;
  const entries = entriesOf(mapped);
  if (status >= 400 && ours.kind === undefined) return entries.map((entry) => ({ entry, reason: body?.text ?? '' }));
  return compareFailures(ours.value, body?.value).onlyReal.flatMap(({ id, reason }) =>
    entries.filter((entry) => entry['id'] === id).map((entry) => ({ entry, reason })),
  );
}

const isUpdate = (id: OperationId): boolean => id.includes('Update') || id === 'syncCreateJobsInSubproject';
const requiredLists: readonly Omit<Choice, 'values'>[] = [
  { keys: ['jobs', 'create'], isAbout: (id) => operations[id].list === 'jobs' && !isUpdate(id) },
  { keys: ['jobs', 'update'], isAbout: (id) => operations[id].list === 'jobs' && isUpdate(id) },
  { keys: ['orders'], isAbout: (id) => operations[id].list === 'orders' },
  { keys: ['routes'], isAbout: (id) => operations[id].list === 'routes' },
];

/** Returns the required fields with one that the reason of a rejection names, and without one that is missing. */
function listRequired({ cases, applied }: Evaluation): readonly Choice[] {
  return requiredLists.map(({ keys, isAbout }) => {
    const own = cases.filter(({ mapped }) => isAbout(mapped.operation));
    const present = (readKey(applied.profile.required, keys) ?? []) as readonly string[];
    const known = [...new Set(own.flatMap(({ mapped }) => entriesOf(mapped).flatMap(Object.keys)))].filter(
      (name) => !present.includes(name),
    );
    const rejected = own.flatMap(listRejected);
    const missed = known.filter((name) =>
      rejected.some(({ entry, reason }) => !Object.hasOwn(entry, name) && reason.includes(name)),
    );
    const without = present.filter((name) => name !== 'id').map((name) => present.filter((one) => one !== name));
    return { keys: ['required', ...keys], values: [...missed.map((name) => [...present, name]), ...without], isAbout };
  });
}

/** Returns what may follow a status without what a rejection names, nothing, and anything. */
function listTransitions({ cases, applied }: Evaluation): readonly Choice[] {
  return (['jobs', 'orders'] as const).flatMap((collection) => {
    const isAbout = (id: OperationId): boolean =>
      (operations[id].collection === 'orders') === (collection === 'orders');
    const statuses = statusesOf(shippedDocument)[collection];
    const rejected = cases.filter(({ mapped }) => isAbout(mapped.operation)).flatMap(listRejected);
    const pairs = rejected.flatMap(({ entry: { status: to }, reason }) => {
      const named = statuses.filter((one) => new RegExp(`\\b${one}\\b`).test(reason));
      return named.includes(String(to)) ? named.filter((from) => from !== to).map((from) => [from, to] as const) : [];
    });
    const transitions = applied.profile.transitions[collection];
    return statuses.flatMap((from): readonly Choice[] => {
      const refused = pairs.filter(([one]) => one === from).map(([, to]) => to);
      const present = transitions[from];
      if (refused.length === 0 && !present) return [];
      const left = (present ?? statuses).filter((to) => to !== from && !refused.includes(to));
      return [{ keys: ['transitions', collection, from], values: [left, [], statuses], isAbout }];
    });
  });
}
