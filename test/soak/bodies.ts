/** Realistic records to send, made once and sent again under other ids. */
import type { Json } from '../../src/lib/json.ts';
import type { OperationId } from '../../src/operations/index.ts';
import { sampleBody } from '../../src/samples/sample.ts';

/** Gives the next record of a kind, under an id where it has one in its body. */
export type Bodies = Readonly<Record<BodyKind, (id?: string) => Json>>;

export type BodyKind =
  | 'job'
  | 'plainJob'
  | 'singleJob'
  | 'jobUpdate'
  | 'jobChanges'
  | 'order'
  | 'orderChanges'
  | 'route'
  | 'user'
  | 'userChanges'
  | 'location';

/** The operation whose sample body contains the record, its list, and the field of its id. */
const sources: Readonly<
  Record<BodyKind, readonly [operation: OperationId, list?: string | undefined, idField?: string]>
> = {
  job: ['asyncImportJobs', 'jobs', 'id'],
  plainJob: ['syncCreateJobsInSubproject', 'jobs', 'id'],
  singleJob: ['syncCreateJob', undefined, 'id'],
  jobUpdate: ['asyncUpdateJobs', 'jobs', 'id'],
  jobChanges: ['asyncUpdateJob'],
  order: ['asyncImportOrders', 'orders', 'id'],
  orderChanges: ['asyncUpdateOrder'],
  route: ['asyncImportRoutes', 'routes', 'id'],
  user: ['registerUser', undefined, 'username'],
  userChanges: ['updateUser'],
  location: ['submitLocations', 'locations', 'deviceId'],
};

const kept = 40;

/** The records of a seed. */
export async function createBodies(seed: string): Promise<Bodies> {
  const kinds = Object.keys(sources) as BodyKind[];
  const made = await Promise.all(kinds.map(async (kind) => [kind, await createBody(seed, kind)] as const));
  return Object.fromEntries(made) as Bodies;
}

async function createBody(seed: string, kind: BodyKind): Promise<(id?: string) => Json> {
  const [operation, list, idField] = sources[kind];
  const samples = list
    ? ((await sampleBody(operation, { seed, count: kept })) as Record<string, Json[]>)[list]
    : await Promise.all(
        Array.from({ length: kept }, (_, n) => sampleBody(operation, { seed: `${seed}-${n}`, count: 1 })),
      );
  let next = 0;
  return (id) => {
    const sample = samples?.[next++ % samples.length] as Json;
    return idField === undefined ? sample : { ...sample, [idField]: id };
  };
}
