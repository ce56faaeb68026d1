/** The operations on jobs, orders and routes: their ids, methods and paths. */
import type { OperationId } from '../../src/operations/index.ts';

/** Where a request goes, and whether it is applied later. */
export interface Target {
  readonly project: string;
  readonly sub: string | undefined;
  readonly isLater: boolean;
}

export interface Endpoint extends Target {
  readonly operation: OperationId;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
}

const actions = {
  importJobs: { method: 'POST', list: 'jobs', later: 'ImportJobs', now: 'CreateJobs', nowPath: '/batch' },
  updateJobs: { method: 'PATCH', list: 'jobs', later: 'UpdateJobs', now: 'UpdateJobs', nowPath: '/batch' },
  updateJob: { method: 'PATCH', list: 'jobs', later: 'UpdateJob', now: 'UpdateJob', nowPath: '' },
  createJob: { method: 'POST', list: 'jobs', later: undefined, now: 'CreateJob', nowPath: '' },
  importOrders: { method: 'POST', list: 'orders', later: 'ImportOrders', now: 'ImportOrders', nowPath: '' },
  updateOrder: { method: 'PATCH', list: 'orders', later: 'UpdateOrder', now: 'UpdateOrder', nowPath: '' },
  importRoutes: { method: 'POST', list: 'routes', later: 'ImportRoutes', now: 'CreateRoutes', nowPath: '/batch' },
} as const;

export type Action = keyof typeof actions;

/** Returns the operation for a target. `id` is used where the path names a record. */
export function toEndpoint(action: Action, { project, ...target }: Target, id = ''): Endpoint {
  const { method, list, later, now, nowPath } = actions[action];
  const isLater = target.isLater && later !== undefined;
  // No synchronous operation updates a list of jobs in a subproject.
  const sub = action === 'updateJobs' && !isLater ? undefined : target.sub;
  const isInPath = action === 'updateOrder' || (action === 'updateJob' && isLater);
  const end = isInPath ? `/${encodeURIComponent(id)}` : isLater ? '' : nowPath;
  const [mode, name] = isLater ? ['async', later] : ['sync', now];
  const scope = sub === undefined ? '' : `/subprojects/${sub}`;
  return {
    ...{ project, sub, isLater, method },
    operation: `${mode}${name}${sub === undefined ? '' : 'InSubproject'}` as OperationId,
    path: `/${mode}/projects/${project}${scope}/${list}${end}`,
  };
}
