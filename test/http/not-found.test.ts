/** The operations that an unknown path names. */
import { expect, test } from 'vitest';
import { createNotFound } from '../../src/http/not-found.ts';
import { api } from '../openapi/requests.ts';

const toNotFound = createNotFound(api.operations.values(), 'api');

/** Returns the operationIds that the problem of an unknown path names. */
function namedFor(method: string, path: string): readonly string[] {
  const match = api.match(method, path);
  if (match.found) throw new Error(`${method} ${path} is a path of the API`);
  return [...toNotFound(match, method, path).message.matchAll(/\((\w+)\)/g)].map(([, id]) => String(id));
}

test.each([
  ['POST', '/projects/p/jobs', ['asyncImportJobs', 'syncCreateJob']],
  ['PATCH', '/projects/p/jobs', ['asyncUpdateJobs', 'syncUpdateJob']],
  ['PUT', '/projects/p/jobs', ['asyncImportJobs', 'syncCreateJob']],
  ['GET', '/projects/p/jobs', ['asyncImportJobs', 'syncCreateJob']],
  ['PATCH', '/projects/p/jobs/J-1', ['asyncUpdateJob']],
  ['DELETE', '/projects/p/jobs/J-1', ['asyncUpdateJob']],
  ['POST', '/projects/p/jobs/batch', ['syncCreateJobs']],
  ['PATCH', '/projects/p/jobs/batch', ['syncUpdateJobs']],
  ['POST', '/projects/p/routes', ['asyncImportRoutes']],
  ['POST', '/projects/p/routes/batch', ['syncCreateRoutes']],
  ['POST', '/projects/p/orders', ['asyncImportOrders', 'syncImportOrders']],
  ['PATCH', '/projects/p/orders/O-1', ['asyncUpdateOrder', 'syncUpdateOrder']],
  ['POST', '/projects/p/subprojects/s/jobs', ['asyncImportJobsInSubproject', 'syncCreateJobInSubproject']],
  ['POST', '/jobs', ['asyncImportJobs', 'syncCreateJob']],
  ['POST', '/orders', ['asyncImportOrders', 'syncImportOrders']],
  ['POST', '/routes', ['asyncImportRoutes']],
  ['PATCH', '/jobs/J-1', ['asyncUpdateJob']],
  ['POST', '/jobs/batch', ['syncCreateJobs']],
  ['POST', '/project/p/users', ['registerUser']],
  ['POST', '/projects/p/location', ['submitLocation']],
  ['POST', '/asnyc/projects/p/jobs', ['asyncImportJobs']],
  ['POST', '/v1/async/projects/p/jobs', ['asyncImportJobs']],
  ['POST', '/async/projects/p/job', ['asyncImportJobs']],
])('%s %s', (method, path, expected) => {
  expect(namedFor(method, path)).toEqual(expected);
});
