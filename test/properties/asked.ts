/** Requests of the properties: for each operation a project with what it needs, the path, and bodies that it takes. */
import fc from 'fast-check';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, applyProfile, bodySchema, resolve } from '../../src/openapi/document.ts';
import { type Profile, shippedProfile } from '../../src/openapi/profile.ts';
import { CompiledRouter, type RoutedOperation } from '../../src/openapi/router.ts';
import { type Operation, type OperationId, operations } from '../../src/operations/index.ts';
import { valuesOf } from './values.ts';

/** All bodies come from here: the same in every run. */
export const seed = 20_260_302;

/** One operation, as a profile has it. */
export interface Asked {
  readonly id: OperationId;
  readonly operation: Operation;
  readonly method: string;
  readonly document: ApiDocument;
  /** The schema of its body. */
  readonly schema: Json;
  /** Where it is in a project. */
  path(project: string): string;
  /** Bodies that are accepted in a prepared project, without a failure or a warning. */
  readonly bodies: fc.Arbitrary<Json>;
}

/** All 29, as a profile has them. */
export function allAsked(profile: Profile = shippedProfile): readonly Asked[] {
  const document = applyProfile(apiSource as ApiDocument, profile);
  const router = new CompiledRouter(document);
  return [...router.operations.values()].map((routed) => toAsked(document, routed));
}

const one = 'R-1';

/** What updates name is there, of the subproject that all URLs name. */
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

/** The ids that have to agree: with the path, with what is stored, and with nothing else in the same list. */
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

/** A proof goes with what the stored job is only as long as nothing else has changed that. */
function agreeing(entry: Json): Json {
  const subProject = 'subProjectId' in entry && { subProjectId: 'north' };
  const status = 'proofOfDelivery' in entry && !('status' in entry) && { status: 'DELIVERED' };
  return { ...entry, ...subProject, ...status };
}
