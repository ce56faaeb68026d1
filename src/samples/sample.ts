/** Creates valid, realistic request bodies for every operation. The same seed gives the same body. */
import type { Json } from '../lib/json.ts';
import type { operations as Documented } from '../openapi/api.gen.ts';
import type { OperationId } from '../operations/index.ts';
import { createJob, createSingleJob, createUntrackedJob } from './bodies/job.ts';
import { createJobChanges, createJobUpdate } from './bodies/job-update.ts';
import { createLocation, createLocations } from './bodies/location.ts';
import { createOrder, createOrderChanges } from './bodies/order.ts';
import { createRoutes } from './bodies/route.ts';
import { createUser, createUserChanges } from './bodies/user.ts';
import { defaultLocale, loadFaker, localeProblem } from './places/locale.ts';
import { createSetting, eachOf, type SampleContext, type SamplePlace } from './sample-context.ts';

type Body<Id extends OperationId> = Documented[Id]['requestBody']['content']['application/json'];

/** Creates the body of one operation: the entries of its list, or its single record. */
type Maker<Body> =
  | {
      [Name in keyof Body & string]: {
        readonly list: Name;
        readonly make: (context: SampleContext, count: number) => Iterable<EntryOf<Body[Name]>>;
      };
    }[keyof Body & string]
  | { readonly list: undefined; readonly make: (context: SampleContext) => Body };

type EntryOf<List> = NonNullable<List> extends readonly (infer Entry)[] ? Entry : never;

function list<Name extends string, Entry>(
  name: Name,
  make: (context: SampleContext, count: number) => Iterable<Entry>,
) {
  return { list: name, make } as const;
}

function single<Body>(make: (context: SampleContext) => Body) {
  return { list: undefined, make } as const;
}

/** Creates a list of entries that depend only on their index. */
function each<Entry>(create: (context: SampleContext, index: number) => Entry) {
  return (context: SampleContext, count: number) => eachOf(count, (index) => create(context, index));
}

const jobs = list('jobs', each(createJob));
const untracked = list('jobs', each(createUntrackedJob));
const jobUpdates = list('jobs', each(createJobUpdate));
const jobChanges = single((context) => createJobChanges(context, 0));
const jobUpdate = single((context) => createJobUpdate(context, 0));
const singleJob = single(createSingleJob);
const routes = list('routes', createRoutes);
const orders = list('orders', each(createOrder));
const orderChanges = single(createOrderChanges);

const makers: { readonly [Id in OperationId]: Maker<Body<Id>> } = {
  registerUser: single(createUser),
  updateUser: single(createUserChanges),
  asyncImportJobs: jobs,
  asyncUpdateJobs: jobUpdates,
  asyncUpdateJob: jobChanges,
  asyncImportRoutes: routes,
  asyncImportJobsInSubproject: jobs,
  asyncUpdateJobsInSubproject: jobUpdates,
  asyncUpdateJobInSubproject: jobChanges,
  asyncImportRoutesInSubproject: routes,
  syncCreateJobs: jobs,
  syncUpdateJobs: jobUpdates,
  syncCreateRoutes: routes,
  syncCreateJob: singleJob,
  syncUpdateJob: jobUpdate,
  syncCreateJobsInSubproject: untracked,
  syncCreateRoutesInSubproject: routes,
  syncCreateJobInSubproject: singleJob,
  syncUpdateJobInSubproject: jobUpdate,
  asyncImportOrders: orders,
  asyncUpdateOrder: orderChanges,
  asyncImportOrdersInSubproject: orders,
  asyncUpdateOrderInSubproject: orderChanges,
  syncImportOrders: orders,
  syncUpdateOrder: orderChanges,
  syncImportOrdersInSubproject: orders,
  syncUpdateOrderInSubproject: orderChanges,
  submitLocation: single(createLocation),
  submitLocations: list('locations', createLocations),
};

/** Types of users. */
export const userTypes = ['driver', 'attendant'] as const;

export type UserType = (typeof userTypes)[number];

/** Maximum number of entries that the API accepts in one request. */
const maxEntries = 10_000;

/** Options of a sample. */
export interface SampleOptions extends SamplePlace {
  /** Number of list entries, 1 to 10,000; for routes, the total of their jobs; 1 if the body is a single record. */
  readonly count: number;
  readonly seed: string;
  /** Current time of the sample, ISO 8601 with offset. Default: a fixed time, never the real one. */
  readonly now?: string;
  /** Type of the user of `registerUser`. Default: depends on the seed. */
  readonly userType?: UserType | undefined;
}

/** Returns an error message if an operation can't have a body of `count` entries, otherwise undefined. */
export function countProblem(operationId: OperationId, count: number): string | undefined {
  if (!Number.isInteger(count) || count < 1 || count > maxEntries) {
    return `count must be a whole number from 1 to ${maxEntries}, got ${count}`;
  }
  if (count === 1 || makers[operationId].list) return undefined;
  return `the body of ${operationId} is a single record, so count must be 1, got ${count}`;
}

/** A body with a list, whose entries are created when they are read; or a body that is a single record. */
export type Sample =
  | { readonly list: string; readonly entries: Iterable<unknown> }
  | { readonly list: undefined; readonly record: Json };

/**
 * Creates a request body that the contract accepts without a warning. The same operation, count, seed, `now` and place
 * give the same bytes. With the same seed, an update names the records of an import, and all operations have the same
 * staff.
 * @throws Error if `count`, `now` or `locale` is not valid; see `countProblem` and `localeProblem`
 */
export async function createSample(operationId: OperationId, options: SampleOptions): Promise<Sample> {
  const { count, seed, now, locale = defaultLocale, userType } = options;
  const problem = countProblem(operationId, count) ?? localeProblem(locale);
  if (problem !== undefined) throw new Error(problem);
  const setting = createSetting(await loadFaker(locale), operationId, seed, now, options);
  const context = userType === undefined ? setting : { ...setting, userDrives: userType === 'driver' };
  const maker = makers[operationId];
  return maker.list === undefined
    ? { list: undefined, record: { ...maker.make(context) } }
    : { list: maker.list, entries: maker.make(context, count) };
}

/** Creates a sample as one value. */
export async function sampleBody(operationId: OperationId, options: SampleOptions): Promise<Json> {
  const sample = await createSample(operationId, options);
  return sample.list === undefined ? sample.record : { [sample.list]: [...sample.entries] };
}
