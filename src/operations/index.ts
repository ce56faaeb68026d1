/**
 * Defines the 29 operations: action, mode and response. A response that the OpenAPI document does not have does not
 * compile.
 */
import type { FailedEntry, FailureType } from '../callbacks/callback.ts';
import type { operations as Documented } from '../openapi/api.gen.ts';
import type { ListName } from '../openapi/validate.ts';
import type { CollectionName, Records } from '../records/records.ts';
import type { Action, Command } from './command.ts';
import { createJob, importJobs, importOrders, updateJobs, updateOrders } from './jobs.ts';
import { addLocations } from './locations.ts';
import { importRoutes } from './routes.ts';
import { change, register } from './users.ts';

/** Ids of the operations in the OpenAPI document, without its webhook, which the sandbox sends. */
export type OperationId = Exclude<keyof Documented, 'downstreamFailed'>;

type Responses<Id extends OperationId> = Documented[Id]['responses'];

/** Responses that the document has for an operation. */
type DocumentedResponse<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: Responses<Id>[Status] extends { content: { 'application/json': infer Body } }
    ? { readonly status: Status; readonly body: Body }
    : never;
}[keyof Responses<Id>];

/** An accepted entry, as listed in responses. */
export interface AcceptedEntry {
  readonly orderNumber: string;
  readonly subProjectId?: string;
  /** Undefined for an update of an unknown record. */
  readonly trackingId?: string;
}

/** The outcome for a request's entries, in the order of the request. */
export interface CommandResult {
  readonly accepted: readonly AcceptedEntry[];
  readonly failed: readonly FailedEntry[];
  /** The id of the record, for responses that are a message. */
  readonly id: string;
}

/** Behaviour of an operation, without its response. */
interface Behaviour {
  /** `async`: accepted now, applied later. A profile may change it. */
  readonly mode: 'sync' | 'async';
  readonly action: Action;
  readonly collection: CollectionName;
  /** Name of the list in its body. Undefined if the body is a single record. */
  readonly list?: ListName;
  /** Field with a record's id, and path parameter with the id, if there is one. */
  readonly idField: 'id' | 'username' | 'deviceId';
  readonly idParam?: 'jobId' | 'orderId' | 'username';
  /** Whether the response lists failures. If not, one rejected entry rejects the request. */
  readonly listsFailures: boolean;
  /** Type of the callback that reports failures. */
  readonly callbackType?: FailureType;
}

/** One operation with a response that the document has for it. */
interface DocumentedOperation<Id extends OperationId> extends Behaviour {
  readonly toResponse: (outcome: CommandResult) => DocumentedResponse<Id>;
}

export interface Operation extends Behaviour {
  readonly toResponse: (outcome: CommandResult) => { readonly status: number; readonly body: unknown };
}

// The responses, in the four shapes of the document.
const toJobs = ({ accepted, failed }: CommandResult) => ({
  failed: [...failed],
  jobs: [...accepted],
  jobsReceived: accepted.length,
});
const toOrders = ({ accepted, failed }: CommandResult) => ({
  failed: [...failed],
  orders: [...accepted],
  ordersReceived: accepted.length,
});
const jobsAccepted = (outcome: CommandResult) => ({ status: 202, body: toJobs(outcome) }) as const;
const jobsApplied = (outcome: CommandResult) => ({ status: 200, body: toJobs(outcome) }) as const;
const ordersAccepted = (outcome: CommandResult) => ({ status: 202, body: toOrders(outcome) }) as const;
const ordersApplied = (outcome: CommandResult) => ({ status: 200, body: toOrders(outcome) }) as const;
const created = (noun: string) => (outcome: CommandResult) =>
  ({ status: 201, body: { message: `${noun} ${outcome.id} created` } }) as const;
const updated = (noun: string) => (outcome: CommandResult) =>
  ({ status: 200, body: { message: `${noun} ${outcome.id} updated` } }) as const;
const emptyBody = () => ({ status: 200, body: {} }) as const;

// Common parts of operations of one kind.
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
  callbackType: 'routes.import.failed',
} as const;
const jobImport = { list: 'jobs', action: importJobs, callbackType: 'jobs.import.failed' } as const;
const jobUpdate = { action: updateJobs, callbackType: 'jobs.update.failed' } as const;
const jobCreate = { action: createJob, callbackType: 'jobs.import.failed' } as const;
const orderImport = { list: 'orders', action: importOrders, callbackType: 'orders.import.failed' } as const;
const orderUpdate = { action: updateOrders, idParam: 'orderId', callbackType: 'orders.update.failed' } as const;
const syncJobs = { ...job, mode: 'sync', list: 'jobs', listsFailures: true, toResponse: jobsApplied } as const;
const syncJob = { ...job, mode: 'sync', listsFailures: false } as const;
const syncOrders = { ...order, ...orderImport, mode: 'sync', listsFailures: true, toResponse: ordersApplied } as const;
const syncOrder = {
  ...order,
  ...orderUpdate,
  mode: 'sync',
  listsFailures: false,
  toResponse: updated('order'),
} as const;
const user = { collection: 'users', idField: 'username', mode: 'sync', listsFailures: false } as const;
const device = {
  collection: 'devices',
  idField: 'deviceId',
  mode: 'sync',
  listsFailures: false,
  action: addLocations,
  toResponse: emptyBody,
} as const;

/** All operations by operationId. */
export const operations: { readonly [Id in OperationId]: DocumentedOperation<Id> } = {
  registerUser: { ...user, action: register, toResponse: created('user') },
  updateUser: { ...user, action: change, idParam: 'username', toResponse: updated('user') },

  asyncImportJobs: { ...asyncJobs, ...jobImport, toResponse: jobsAccepted },
  asyncUpdateJobs: { ...asyncJobs, ...jobUpdate, list: 'jobs', toResponse: jobsAccepted },
  asyncUpdateJob: { ...asyncJobs, ...jobUpdate, idParam: 'jobId', toResponse: jobsAccepted },
  asyncImportRoutes: { ...routes, mode: 'async', toResponse: jobsAccepted },
  asyncImportJobsInSubproject: { ...asyncJobs, ...jobImport, toResponse: jobsAccepted },
  asyncUpdateJobsInSubproject: { ...asyncJobs, ...jobUpdate, list: 'jobs', toResponse: jobsAccepted },
  asyncUpdateJobInSubproject: { ...asyncJobs, ...jobUpdate, idParam: 'jobId', toResponse: jobsAccepted },
  asyncImportRoutesInSubproject: { ...routes, mode: 'async', toResponse: jobsAccepted },

  syncCreateJobs: { ...syncJobs, ...jobImport },
  syncUpdateJobs: { ...syncJobs, ...jobUpdate },
  syncCreateRoutes: { ...routes, mode: 'sync', toResponse: jobsApplied },
  syncCreateJob: { ...syncJob, ...jobCreate, toResponse: created('job') },
  syncUpdateJob: { ...syncJob, ...jobUpdate, toResponse: updated('job') },
  syncCreateJobsInSubproject: { ...syncJobs, ...jobImport },
  syncCreateRoutesInSubproject: { ...routes, mode: 'sync', toResponse: jobsApplied },
  syncCreateJobInSubproject: { ...syncJob, ...jobCreate, toResponse: created('job') },
  syncUpdateJobInSubproject: { ...syncJob, ...jobUpdate, toResponse: updated('job') },

  asyncImportOrders: { ...asyncOrders, ...orderImport, toResponse: ordersAccepted },
  asyncUpdateOrder: { ...asyncOrders, ...orderUpdate, toResponse: ordersAccepted },
  asyncImportOrdersInSubproject: { ...asyncOrders, ...orderImport, toResponse: ordersAccepted },
  asyncUpdateOrderInSubproject: { ...asyncOrders, ...orderUpdate, toResponse: ordersAccepted },
  syncImportOrders: syncOrders,
  syncUpdateOrder: syncOrder,
  syncImportOrdersInSubproject: syncOrders,
  syncUpdateOrderInSubproject: syncOrder,

  submitLocation: device,
  submitLocations: { ...device, list: 'locations' },
};

/** Whether an operation creates records, so that a deferred command may still create its entries. */
export function creates({ callbackType }: Pick<Operation, 'callbackType'>): boolean {
  return callbackType?.endsWith('.import.failed') ?? false;
}

/** Whether the result of an operation is a message, which a profile can replace by its own template. */
export function hasMessage({ listsFailures, collection }: Pick<Operation, 'listsFailures' | 'collection'>): boolean {
  return !listsFailures && collection !== 'devices';
}

/** All operationIds, in the document's order. */
export const operationIds: readonly OperationId[] = Object.keys(operations) as OperationId[];

type Kind = Pick<Operation, 'callbackType' | 'collection' | 'idParam' | 'list'>;

/** Returns how many records a command may create: the entries whose ids are not stored. */
export function countNewRecords(records: Records, operation: Kind, { entries, routes = [] }: Command): number {
  if (!mayCreate(operation)) return 0;
  const into = records[operation.collection === 'routes' ? 'jobs' : operation.collection];
  const [first] = entries;
  if (first && entries.length === 1 && routes.length === 0) return into.has(first.id) ? 0 : 1;
  const ids = new Set<string>();
  for (const { id } of entries) if (!into.has(id)) ids.add(id);
  const newRoutes = new Set(routes.map(({ id }) => id).filter((id) => !records.routes.has(id)));
  return ids.size + newRoutes.size;
}

/** Whether an operation may create records. An update cannot: an unknown id fails. */
function mayCreate(operation: Kind): boolean {
  return (
    creates(operation) || operation.collection === 'devices' || (operation.collection === 'users' && !operation.idParam)
  );
}
