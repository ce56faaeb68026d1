/** For each operation its path, and bodies that it accepts in a prepared project. */
import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import type { Profile } from '../../src/openapi/profile/profile.ts';
import type { OperationId } from '../../src/operations/index.ts';
import { bodies as shapes } from './documented-fields.ts';
import { toAgreeing } from './fields.ts';
import { documented, listOf, operationIds, toEndpoint, toPath } from './operations.ts';
import { valuesOf } from './values.ts';

/** The seed of all bodies. */
export const seed = 20_260_302;

/** One operation, as the profile defines it. */
export interface Asked {
  readonly id: OperationId;
  readonly method: string;
  /** Whether its response lists failures. If not, one rejected entry rejects the request. */
  readonly listsFailures: boolean;
  /** Returns its path for a project. */
  path(project: string): string;
  /** Bodies that are accepted in a prepared project, without a failure or a warning. */
  readonly bodies: fc.Arbitrary<Json>;
}

/** Returns all 29 operations, as the profile defines them. */
export function allAsked({ basePath = '', operations = {} }: Partial<Profile> = {}): readonly Asked[] {
  return operationIds.map((id) => {
    const [method, path, , result] = documented[id];
    const moved: { readonly method?: string; readonly path?: string } = operations[id] ?? {};
    return {
      id,
      method: moved.method ?? method,
      listsFailures: result === 'jobs' || result === 'orders',
      path: (project) => toPath(basePath + (moved.path ?? path), { project, ...target }),
      bodies: fc
        .tuple(valuesOf(shapes[id] ?? {}) as fc.Arbitrary<Json>, fc.nat())
        .map(([body, run]) => fitted(id, body, run)),
    };
  });
}

const target = { sub: 'north', id: 'R-1' };

/** A snapshot with the records that updates name, in the subproject of all URLs. */
export const prepared: Json = {
  version: 1,
  jobs: [1, 2, 3, 4, 5].map((n) => ({ id: `R-${n}`, status: 'DELIVERED', subProjectId: 'north' })),
  orders: [1, 2, 3, 4, 5].map((n) => ({ id: `R-${n}`, subProjectId: 'north' })),
  routes: [],
  users: [{ username: target.id, type: 'driver' }],
  locations: [],
};

/** Changes the ids of a body so that they match the path and the stored records, and differ within a list. */
function fitted(operation: OperationId, body: Json, run: number): Json {
  const isNew = documented[operation][0] === 'POST';
  const list = listOf(operation);
  const withId = (entry: Json, place: number, prefix = ''): Json => {
    const id = isNew ? `${prefix}${String(entry['id'])}-${run}-${place}` : `R-${place}`;
    return { ...toFitting(operation, entry), ...('id' in entry && { id }) };
  };
  if (operation.includes('Location')) return body;
  if (list === 'routes') {
    const routes = (body['routes'] as Json[]).map((route, at) => {
      const jobs = route['jobs'] as Json[] | undefined;
      return { ...withId(route, at), ...(jobs && { jobs: jobs.map((job, place) => withId(job, place, `${at}-`)) }) };
    });
    return { ...body, routes };
  }
  if (list) return { ...body, [list]: (body[list] as Json[]).map((entry, at) => withId(entry, at + 1)) };
  const { projectId: _inPath, ...rest } = withId(body, 1);
  const username = toEndpoint(operation, { project: '', ...target }).id ?? `${String(body['username'])}-${run}`;
  return 'username' in body ? { ...rest, username } : rest;
}

/** Adds the status that a proof of delivery requires, because another update may have changed the stored one. */
function toFitting(operation: OperationId, entry: Json): Json {
  const subProject = 'subProjectId' in entry && { subProjectId: 'north' };
  const status = 'proofOfDelivery' in entry && !('status' in entry) && { status: 'DELIVERED' };
  return { ...toAgreeing(operation, { ...entry, ...subProject, ...status }) };
}
