/** The 29 operations as the API's document promises them, copied by hand. */
import type { OperationId } from '../../src/operations/index.ts';
import { bodies, type results } from './documented-fields.ts';

type Row = readonly [method: 'POST' | 'PATCH', path: string, success: number, result: keyof typeof results];

const project = '/projects/{projectId}';
const sub = `${project}/subprojects/{subProjectId}`;

export const documented: Readonly<Record<OperationId, Row>> = {
  registerUser: ['POST', `${project}/users`, 201, 'message'],
  updateUser: ['PATCH', `${project}/users/{username}`, 200, 'message'],
  asyncImportJobs: ['POST', `/async${project}/jobs`, 202, 'jobs'],
  asyncUpdateJobs: ['PATCH', `/async${project}/jobs`, 202, 'jobs'],
  asyncUpdateJob: ['PATCH', `/async${project}/jobs/{jobId}`, 202, 'jobs'],
  asyncImportRoutes: ['POST', `/async${project}/routes`, 202, 'jobs'],
  asyncImportJobsInSubproject: ['POST', `/async${sub}/jobs`, 202, 'jobs'],
  asyncUpdateJobsInSubproject: ['PATCH', `/async${sub}/jobs`, 202, 'jobs'],
  asyncUpdateJobInSubproject: ['PATCH', `/async${sub}/jobs/{jobId}`, 202, 'jobs'],
  asyncImportRoutesInSubproject: ['POST', `/async${sub}/routes`, 202, 'jobs'],
  syncCreateJobs: ['POST', `/sync${project}/jobs/batch`, 200, 'jobs'],
  syncUpdateJobs: ['PATCH', `/sync${project}/jobs/batch`, 200, 'jobs'],
  syncCreateRoutes: ['POST', `/sync${project}/routes/batch`, 200, 'jobs'],
  syncCreateJob: ['POST', `/sync${project}/jobs`, 201, 'message'],
  syncUpdateJob: ['PATCH', `/sync${project}/jobs`, 200, 'message'],
  syncCreateJobsInSubproject: ['POST', `/sync${sub}/jobs/batch`, 200, 'jobs'],
  syncCreateRoutesInSubproject: ['POST', `/sync${sub}/routes/batch`, 200, 'jobs'],
  syncCreateJobInSubproject: ['POST', `/sync${sub}/jobs`, 201, 'message'],
  syncUpdateJobInSubproject: ['PATCH', `/sync${sub}/jobs`, 200, 'message'],
  asyncImportOrders: ['POST', `/async${project}/orders`, 202, 'orders'],
  asyncUpdateOrder: ['PATCH', `/async${project}/orders/{orderId}`, 202, 'orders'],
  asyncImportOrdersInSubproject: ['POST', `/async${sub}/orders`, 202, 'orders'],
  asyncUpdateOrderInSubproject: ['PATCH', `/async${sub}/orders/{orderId}`, 202, 'orders'],
  syncImportOrders: ['POST', `/sync${project}/orders`, 200, 'orders'],
  syncUpdateOrder: ['PATCH', `/sync${project}/orders/{orderId}`, 200, 'message'],
  syncImportOrdersInSubproject: ['POST', `/sync${sub}/orders`, 200, 'orders'],
  syncUpdateOrderInSubproject: ['PATCH', `/sync${sub}/orders/{orderId}`, 200, 'message'],
  submitLocation: ['POST', `${project}/locations`, 200, 'empty'],
  submitLocations: ['POST', `${project}/locations/batch`, 200, 'empty'],
};

export const operationIds = Object.keys(documented) as readonly OperationId[];

/** What the identifiers of a path stand for. */
export interface Target {
  readonly project: string;
  readonly sub: string;
  readonly id: string;
}

/** An operation on a target. `sub` and `id` are undefined if its path does not contain them. */
export interface Endpoint {
  readonly operation: OperationId;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly project: string;
  readonly sub: string | undefined;
  readonly id: string | undefined;
  /** Whether it is applied later. */
  readonly isLater: boolean;
}

export function toEndpoint(operation: OperationId, target: Target): Endpoint {
  const [method, template, success] = documented[operation];
  const { project, sub, id } = target;
  return {
    ...{ operation, method, project, path: toPath(template, target), isLater: success === 202 },
    sub: template.includes('{subProjectId}') ? sub : undefined,
    id: /\{(?:jobId|orderId|username)\}/.test(template) ? id : undefined,
  };
}

export function toPath(template: string, { project, sub, id }: Target): string {
  const known: Readonly<Record<string, string>> = { projectId: project, subProjectId: sub };
  return template.replace(/\{(.+?)\}/g, (_whole, name) => encodeURIComponent(known[name] ?? id));
}

export type ListName = 'jobs' | 'orders' | 'routes' | 'locations';

const listNames: readonly ListName[] = ['jobs', 'orders', 'routes', 'locations'];

/** Returns the name of the list in an operation's body, if there is one. */
export const listOf = (operation: OperationId): ListName | undefined =>
  listNames.find((list) => `${list}!` in (bodies[operation] ?? {}));

export const kindOf = (operation: OperationId): 'jobs' | 'orders' => (operation.includes('Order') ? 'orders' : 'jobs');
