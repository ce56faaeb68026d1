/** Control API handler for requests to try: their ids are new in the project, or those of its latest records. */
import { withoutRegion } from '../keys/api-key.ts';
import type { Json } from '../lib/json.ts';
import { didYouMean } from '../lib/nearest.ts';
import { buildRequest } from '../openapi/build-request.ts';
import { type MovedIdentifiers, parameterNames } from '../openapi/profile/places.ts';
import { examplesOf } from '../openapi/reference.ts';
import type { RoutedOperation } from '../openapi/router.ts';
import { type Operation, type OperationId, operationIds, operations } from '../operations/index.ts';
import type { ProjectState } from '../project/state.ts';
import { collections } from '../records/records.ts';
import { type ControlHandlers, ok, reject } from './handler.ts';

export const sampleHandlers: ControlHandlers<'getSample'> = {
  getSample: async (parts, { params: { projectId: own, operation: name }, query: { example } }, project) => {
    const id = operationIds.find((one) => one === name);
    const routed = id && parts.contract.operations.get(id);
    if (!routed) return reject('notFound', `there is no operation "${name}"${didYouMean(name, operationIds)}`);
    const { sampleIds, createSampleRequest } = await import('../samples/fit.ts');
    const body =
      example === undefined
        ? (await createSampleRequest(parts.contract, id))?.body
        : examplesOf(parts.contract.document, id).find((one) => one.name === example)?.value;
    if (body === undefined) return reject('invalid', `${id} has no example "${example}"`, 'query:example');
    const projectId = parts.profile.regions.separate ? withoutRegion(own) : own;
    const { ids, newIds, params, missing } = chooseIds(id, idsIn(body), project?.state);
    const placed = place(routed, { ...sampleIds, ...params, projectId }, withIds(body, ids) as Json);
    return ok({ ...placed, newIds, missing });
  },
};

interface ChosenIds {
  /** In place of the ids of the example. */
  readonly ids: ReadonlyMap<string, string>;
  readonly newIds: string[];
  /** The identifiers of the record that is updated. */
  readonly params?: Readonly<Record<string, string>>;
  readonly missing?: { readonly collection: string; readonly createdBy: string } | undefined;
}

/** Chooses ids for a body: new ones, or those of the latest records if the operation updates them. */
function chooseIds(id: OperationId, olds: readonly string[], state: ProjectState | undefined): ChosenIds {
  const { collection, idField, idParam } = operations[id] as Operation;
  if (!isUpdate(operations[id])) {
    const ids = new Map(olds.map((old, index) => [old, toNewId(old, index, state)]));
    return { ids, newIds: [...ids.values()] };
  }
  const all = [...(state?.records[collection].values() ?? [])].reverse();
  const inSubproject = id.includes('Subproject') ? all.filter((one) => one['subProjectId'] !== undefined) : [];
  const known = inSubproject.length > 0 ? inSubproject : all;
  const creator = operationIds.find((one) => {
    const { collection: created, mode } = operations[one];
    return created === collection && mode === 'sync' && !isUpdate(operations[one]);
  });
  const [first] = known;
  const subProjectId = first?.['subProjectId'];
  return {
    ids: new Map(olds.map((old, index) => [old, String(known[index]?.[idField] ?? old)])),
    newIds: [],
    params: {
      ...(first && idParam && { [idParam]: String(first[idField]) }),
      ...(typeof subProjectId === 'string' && { subProjectId }),
    },
    missing: !first && creator ? { collection, createdBy: creator } : undefined,
  };
}

function isUpdate({ idParam, callbackType }: Pick<Operation, 'idParam' | 'callbackType'>): boolean {
  return idParam !== undefined || callbackType?.endsWith('.update.failed') === true;
}

/**
 * Replaces the last part of an id by the number of the next change: `JOB-20931` becomes `JOB-7`, and the second one of a
 * body `JOB-7-2`. The part before it decides about magic ids.
 */
function toNewId(old: string, index: number, state: ProjectState | undefined): string {
  const start = old.includes('-') ? old.slice(0, old.lastIndexOf('-')) : old;
  const end = index === 0 ? '' : `-${index + 1}`;
  let number = (state?.changeCount ?? 0) + 1;
  const isTaken = (id: string): boolean => collections.some((name) => state?.records[name].has(id));
  while (isTaken(`${start}-${number}${end}`)) number += 1;
  return `${start}-${number}${end}`;
}

/** Places the identifiers of a request where the profile has them. */
function place(operation: RoutedOperation, params: Readonly<Record<string, string>>, body: Json) {
  const { body: moved = [], places = {} as MovedIdentifiers } = operation.identifiers ?? {};
  const own = Object.fromEntries(moved.map(([outer, name]) => [outer, params[name]]));
  const names = [...parameterNames(operation.path), ...Object.keys(places)];
  const outside = names.filter((name) => !places[name]?.startsWith('body'));
  const built = buildRequest(operation, params, { ...body, ...own });
  return {
    ...built,
    body: { ...built.body },
    parameters: Object.fromEntries(outside.map((name) => [name, params[name] ?? ''])),
  };
}

/** Lists the ids of the records in a body, in their order. */
function idsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { id, username, jobId, orderId, jobs, orders, routes } = value as Json;
  // The ids of jobs and orders are here if a profile moved them out of the path.
  const own = [id, username, jobId, orderId].filter((one) => typeof one === 'string');
  const entries = [jobs, orders, routes].flatMap((list) => (Array.isArray(list) ? list : []));
  return [...new Set([...own, ...entries.flatMap(idsIn)])];
}

/** Returns a copy with other ids in place of those that the map has. */
function withIds(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => withIds(one, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withIds(one, ids)]));
}
