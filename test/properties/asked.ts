/** The requests of the property tests: for each operation its path, and bodies that it accepts in a prepared project. */
import fc from 'fast-check';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, applyProfile, bodySchema, resolve } from '../../src/openapi/document.ts';
import { type Profile, shippedProfile } from '../../src/openapi/profile.ts';
import { CompiledRouter, type RoutedOperation } from '../../src/openapi/router.ts';
import { type Operation, type OperationId, operations } from '../../src/operations/index.ts';
import { valuesOf } from './values.ts';

/** The seed of all bodies. */
export const seed = 20_260_302;

/** One operation, as the profile defines it. */
export interface Asked {
  readonly id: OperationId;
  readonly operation: Operation;
  readonly method: string;
  readonly document: ApiDocument;
  /** The schema of its body. */
  readonly schema: Json;
  /** Returns its path for a project. */
  path(project: string): string;
  /** Bodies that are accepted in a prepared project, without a failure or a warning. */
  readonly bodies: fc.Arbitrary<Json>;
}

/** Returns all 29 operations, as the profile defines them. */
export function allAsked(profile: Profile = shippedProfile): readonly Asked[] {
  const document = applyProfile(apiSource as ApiDocument, profile);
  const router = new CompiledRouter(document);
  return [...router.operations.values()].map((routed) => toAsked(document, routed));
}

const one = 'R-1';

/** A snapshot with the records that updates name, in the subproject of all URLs. */
export const prepared: Json = {
  version: 1,
  jobs: [1, 2, 3, 4, 5].map((n) => ({ id: `R-${n}`, status: 'DELIVERED', subProjectId: 'north' })),
  orders: [1, 2, 3, 4, 5].map((n) => ({ id: `R-${n}`, subProjectId: 'north' })),
  routes: [],
  users: [{ username: one, type: 'driver' }],
  locations: [],
};

function toAsked(document: ApiDocument, routed: RoutedOperation): Asked {
  const id = routed.id as OperationId;
  const operation: Operation = operations[id];
  const schema = resolve(
    document,
    bodySchema(document.paths[routed.path]?.[routed.method.toLowerCase()] as Json) as Json,
  );
  const values = valuesOf(document, schema) as fc.Arbitrary<Json>;
  return {
    id,
    operation,
    method: routed.method,
    document,
    schema,
    path: (project) => toPath(routed, project),
    bodies: fc.tuple(values, fc.nat()).map(([body, run]) => fitted(operation, body, run)),
  };
}

function toPath({ path, moved = {} }: RoutedOperation, project: string): string {
  const params: Record<string, string> = {
    projectId: project,
    subProjectId: 'north',
    jobId: one,
    orderId: one,
    username: one,
  };
  const query = new URLSearchParams(
    Object.fromEntries(Object.entries(moved).map(([outer, inner]) => [outer, params[inner] ?? ''])),
  );
  const own = path.replace(/\{(.+?)\}/g, (_whole, name) => encodeURIComponent(params[name] ?? ''));
  return query.size > 0 ? `${own}?${query}` : own;
}

/** Changes the ids of a body so that they match the path and the stored records, and differ within a list. */
function fitted(operation: Operation, body: Json, run: number): Json {
  const isNew = operation.callbackType?.includes('.import.') ?? operation.collection === 'users';
  if (operation.list === 'locations') return body;
  const withId = (entry: Json, place: number, prefix = ''): Json => {
    const id =
      isNew && operation.idParam === undefined ? `${prefix}${String(entry['id'])}-${run}-${place}` : `R-${place}`;
    return { ...agreeing(entry), ...('id' in entry && { id }) };
  };
  if (operation.list === 'routes') {
    const routes = (body['routes'] as Json[]).map((route, at) => {
      const jobs = route['jobs'] as Json[] | undefined;
      return { ...withId(route, at), ...(jobs && { jobs: jobs.map((job, place) => withId(job, place, `${at}-`)) }) };
    });
    return { ...body, routes };
  }
  if (operation.list)
    return { ...body, [operation.list]: (body[operation.list] as Json[]).map((entry, at) => withId(entry, at + 1)) };
  const { projectId: _inPath, ...rest } = withId(body, 1);
  if (operation.collection !== 'users') return rest;
  const username = operation.idParam ? one : `${String(body['username'])}-${run}`;
  return 'username' in body ? { ...rest, username } : rest;
}

/** Adds the status that a proof of delivery requires, because another update may have changed the stored one. */
function agreeing(entry: Json): Json {
  const subProject = 'subProjectId' in entry && { subProjectId: 'north' };
  const status = 'proofOfDelivery' in entry && !('status' in entry) && { status: 'DELIVERED' };
  return { ...entry, ...subProject, ...status };
}
