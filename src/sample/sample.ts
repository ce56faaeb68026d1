/** A valid, realistic body for every operation, always the same for the same seed; knows of no server and no clock. */
import type { Json } from '../base/json.ts';
import type { operations as Documented } from '../contract/api.gen.ts';
import type { OperationId } from '../operations/index.ts';
import { createJob, createSingleJob, createUntrackedJob } from './job.ts';
import { createJobChanges, createJobUpdate } from './job-update.ts';
import { loadFaker, localeProblem, usualLocale } from './locale.ts';
import { createLocation, createLocations } from './location.ts';
import { createOrder, createOrderChanges } from './order.ts';
import { createRoutes } from './route.ts';
import { createSetting, eachOf, type Setting, type Where } from './setting.ts';
import { createUser, createUserChanges } from './user.ts';

type Body<Id extends OperationId> = Documented[Id]['requestBody']['content']['application/json'];

/** How the body of one operation is made: of the entries of its list, or of its one record. */
type Maker<Body> =
  | {
      [Name in keyof Body & string]: {
        readonly list: Name;
        readonly make: (setting: Setting, count: number) => Iterable<EntryOf<Body[Name]>>;
      };
    }[keyof Body & string]
  | { readonly list: undefined; readonly make: (setting: Setting) => Body };

type EntryOf<List> = NonNullable<List> extends readonly (infer Entry)[] ? Entry : never;

function list<Name extends string, Entry>(name: Name, make: (setting: Setting, count: number) => Iterable<Entry>) {
  return { list: name, make } as const;
}

function single<Body>(make: (setting: Setting) => Body) {
  return { list: undefined, make } as const;
}

/** Entries that need to know no more of each other than their places. */
function each<Entry>(create: (setting: Setting, index: number) => Entry) {
  return (setting: Setting, count: number) => eachOf(count, (index) => create(setting, index));
}

const jobs = list('jobs', each(createJob));
const untracked = list('jobs', each(createUntrackedJob));
const jobUpdates = list('jobs', each(createJobUpdate));
const jobChanges = single((setting) => createJobChanges(setting, 0));
const jobUpdate = single((setting) => createJobUpdate(setting, 0));
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

/** The most entries that the API takes at once. */
const mostEntries = 10_000;

/** How a sample is made. */
export interface SampleOptions extends Where {
  /** Entries of the list, 1 to 10,000 (on routes: their jobs together); 1 where the body is a single record. */
  readonly count: number;
  readonly seed: string;
  /** The time that it is in the sample, ISO 8601 with offset; a fixed one where left out, never the real one. */
  readonly now?: string;
}

/** Why an operation has no body of `count` entries; undefined where it has. */
export function countProblem(operationId: OperationId, count: number): string | undefined {
  if (!Number.isInteger(count) || count < 1 || count > mostEntries) {
    return `count must be a whole number from 1 to ${mostEntries}, got ${count}`;
  }
  if (count === 1 || makers[operationId].list) return undefined;
  return `the body of ${operationId} is a single record, so count must be 1, got ${count}`;
}

/** A body whose list is made entry by entry, as it is asked for; or one that is a single record. */
export type Sample =
  | { readonly list: string; readonly entries: Iterable<unknown> }
  | { readonly list: undefined; readonly record: Json };

/**
 * A request body that the contract accepts without a warning. Same operation, count, seed, `now` and place: same bytes.
 * Of one seed an update names the records that an import makes, and all operations have the same staff.
 * @throws Error where `count`, `now` or `locale` can't be (`countProblem` and `localeProblem` tell of it beforehand).
 */
export async function createSample(operationId: OperationId, options: SampleOptions): Promise<Sample> {
  const { count, seed, now, locale = usualLocale } = options;
  const problem = countProblem(operationId, count) ?? localeProblem(locale);
  if (problem !== undefined) throw new Error(problem);
  const setting = createSetting(await loadFaker(locale), operationId, seed, now, options);
  const maker = makers[operationId];
  return maker.list === undefined
    ? { list: undefined, record: { ...maker.make(setting) } }
    : { list: maker.list, entries: maker.make(setting, count) };
}

/** The same as one value. */
export async function sampleBody(operationId: OperationId, options: SampleOptions): Promise<Json> {
  const sample = await createSample(operationId, options);
  return sample.list === undefined ? sample.record : { [sample.list]: [...sample.entries] };
}
