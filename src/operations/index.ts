/** The 29 operations: what each does, when, and how its result reads. A reply that the document doesn't have won't compile. */
import type { CallbackType, FailedEntry } from '../callbacks/callback.ts';
import type { operations as Documented } from '../contract/api.gen.ts';
import type { ListName } from '../contract/validate.ts';
import type { CollectionName } from '../store/records.ts';
import { createJob, importJobs, updateJobs } from './jobs.ts';
import { addLocations } from './locations.ts';
import { importOrders, updateOrders } from './orders.ts';
import { importRoutes } from './routes.ts';
import type { Action } from './task.ts';
import { change, register } from './users.ts';

/** The document's operations; the webhook is the other way round. */
export type OperationId = Exclude<keyof Documented, 'downstreamFailed'>;

type Responses<Id extends OperationId> = Documented[Id]['responses'];

/** Every answer that the document has for an operation. */
type Reply<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: Responses<Id>[Status] extends { content: { 'application/json': infer Body } }
    ? { readonly status: Status; readonly body: Body }
    : never;
}[keyof Responses<Id>];

/** An entry that was taken, as results list it. */
export interface Accepted {
  readonly orderNumber: string;
  readonly subProjectId?: string;
  readonly trackingId: string;
}

/** What became of a request's entries, in the request's order. */
export interface Outcome {
  readonly accepted: readonly Accepted[];
  readonly failed: readonly FailedEntry[];
  /** For results that are a message: the record's id. */
  readonly id: string;
}

/** How one operation behaves, but for its reply. */
interface Behaviour {
  /** `async`: accepted now, carried out later. A profile may change it. */
  readonly mode: 'sync' | 'async';
  readonly action: Action;
  readonly collection: CollectionName;
  /** The list in its body; a single record where undefined. */
  readonly list?: ListName;
  /** The field that holds a record's id, and the path parameter that does where there is one. */
  readonly idField: 'id' | 'username' | 'deviceId';
  readonly idParam?: 'jobId' | 'orderId' | 'username';
  /** Whether the result lists failures; else a refused entry refuses the request. */
  readonly listsFailures: boolean;
  /** The callback that tells of failures. */
  readonly tells?: CallbackType;
}

/** One operation, whose reply is one of those that the document has for it. */
interface Documentable<Id extends OperationId> extends Behaviour {
  readonly reply: (outcome: Outcome) => Reply<Id>;
}

/** Any operation. */
export interface Operation extends Behaviour {
  readonly reply: (outcome: Outcome) => { readonly status: number; readonly body: unknown };
}

// The results, by the document's four shapes.
const toJobs = ({ accepted, failed }: Outcome) => ({
  failed: [...failed],
  jobs: [...accepted],
  jobsReceived: accepted.length,
});
const toOrders = ({ accepted, failed }: Outcome) => ({
  failed: [...failed],
  orders: [...accepted],
  ordersReceived: accepted.length,
});
const jobsTaken = (outcome: Outcome) => ({ status: 202, body: toJobs(outcome) }) as const;
const jobsDone = (outcome: Outcome) => ({ status: 200, body: toJobs(outcome) }) as const;
const ordersTaken = (outcome: Outcome) => ({ status: 202, body: toOrders(outcome) }) as const;
const ordersDone = (outcome: Outcome) => ({ status: 200, body: toOrders(outcome) }) as const;
const created = (noun: string) => (outcome: Outcome) =>
  ({ status: 201, body: { message: `${noun} ${outcome.id} created` } }) as const;
const updated = (noun: string) => (outcome: Outcome) =>
  ({ status: 200, body: { message: `${noun} ${outcome.id} updated` } }) as const;
const nothing = () => ({ status: 200, body: {} }) as const;

// What operations of one kind share.
const job = { collection: 'jobs', idField: 'id' } as const;
const order = { collection: 'orders', idField: 'id' } as const;
const asyncJobs = { ...job, mode: 'async', listsFailures: true } as const;
const asyncOrders = { ...order, mode: 'async', listsFailures: true } as const;
const routes = {
  collection: 'routes',
  idField: 'id',
  list: 'routes',
  action: importRoutes,
  listsFailures: true,
  tells: 'routes.import.failed',
} as const;
const jobImport = { list: 'jobs', action: importJobs, tells: 'jobs.import.failed' } as const;
const jobUpdate = { action: updateJobs, tells: 'jobs.update.failed' } as const;
const jobCreate = { action: createJob, tells: 'jobs.import.failed' } as const;
const orderImport = { list: 'orders', action: importOrders, tells: 'orders.import.failed' } as const;
const orderUpdate = { action: updateOrders, idParam: 'orderId', tells: 'orders.update.failed' } as const;
const syncJobs = { ...job, mode: 'sync', list: 'jobs', listsFailures: true, reply: jobsDone } as const;
const syncJob = { ...job, mode: 'sync', listsFailures: false } as const;
const syncOrders = { ...order, ...orderImport, mode: 'sync', listsFailures: true, reply: ordersDone } as const;
const syncOrder = { ...order, ...orderUpdate, mode: 'sync', listsFailures: false, reply: updated('order') } as const;
const user = { collection: 'users', idField: 'username', mode: 'sync', listsFailures: false } as const;
const device = {
  collection: 'devices',
  idField: 'deviceId',
  mode: 'sync',
  listsFailures: false,
  action: addLocations,
  reply: nothing,
} as const;

/** Every operation by its operationId. */
export const operations: { readonly [Id in OperationId]: Documentable<Id> } = {
  registerUser: { ...user, action: register, reply: created('user') },
  updateUser: { ...user, action: change, idParam: 'username', reply: updated('user') },

  asyncImportJobs: { ...asyncJobs, ...jobImport, reply: jobsTaken },
  asyncUpdateJobs: { ...asyncJobs, ...jobUpdate, list: 'jobs', reply: jobsTaken },
  asyncUpdateJob: { ...asyncJobs, ...jobUpdate, idParam: 'jobId', reply: jobsTaken },
  asyncImportRoutes: { ...routes, mode: 'async', reply: jobsTaken },
  asyncImportJobsInSubproject: { ...asyncJobs, ...jobImport, reply: jobsTaken },
  asyncUpdateJobsInSubproject: { ...asyncJobs, ...jobUpdate, list: 'jobs', reply: jobsTaken },
  asyncUpdateJobInSubproject: { ...asyncJobs, ...jobUpdate, idParam: 'jobId', reply: jobsTaken },
  asyncImportRoutesInSubproject: { ...routes, mode: 'async', reply: jobsTaken },

  syncCreateJobs: { ...syncJobs, ...jobImport },
  syncUpdateJobs: { ...syncJobs, ...jobUpdate },
  syncCreateRoutes: { ...routes, mode: 'sync', reply: jobsDone },
  syncCreateJob: { ...syncJob, ...jobCreate, reply: created('job') },
  syncUpdateJob: { ...syncJob, ...jobUpdate, reply: updated('job') },
  syncCreateJobsInSubproject: { ...syncJobs, ...jobImport },
  syncCreateRoutesInSubproject: { ...routes, mode: 'sync', reply: jobsDone },
  syncCreateJobInSubproject: { ...syncJob, ...jobCreate, reply: created('job') },
  syncUpdateJobInSubproject: { ...syncJob, ...jobUpdate, reply: updated('job') },

  asyncImportOrders: { ...asyncOrders, ...orderImport, reply: ordersTaken },
  asyncUpdateOrder: { ...asyncOrders, ...orderUpdate, reply: ordersTaken },
  asyncImportOrdersInSubproject: { ...asyncOrders, ...orderImport, reply: ordersTaken },
  asyncUpdateOrderInSubproject: { ...asyncOrders, ...orderUpdate, reply: ordersTaken },
  syncImportOrders: syncOrders,
  syncUpdateOrder: syncOrder,
  syncImportOrdersInSubproject: syncOrders,
  syncUpdateOrderInSubproject: syncOrder,

  submitLocation: device,
  submitLocations: { ...device, list: 'locations' },
};

/** Whether an operation creates records, so that its accepted entries may yet come to be. */
export function creates({ tells }: Pick<Operation, 'tells'>): boolean {
  return tells?.endsWith('.import.failed') ?? false;
}

/** All operationIds, in the document's order. */
export const operationIds: readonly OperationId[] = Object.keys(operations) as OperationId[];
