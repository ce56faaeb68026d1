/** The operations that the message about an unknown path names. */
import { expect, test } from 'vitest';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

test.each([
  ['POST', '/projects/p/jobs', ['asyncImportJobs', 'syncCreateJob']],
  ['PATCH', '/projects/p/jobs', ['asyncUpdateJobs', 'syncUpdateJob']],
  ['PUT', '/projects/p/jobs', ['asyncImportJobs', 'syncCreateJob']],
  ['PATCH', '/projects/p/jobs/J-1', ['asyncUpdateJob']],
  ['DELETE', '/projects/p/jobs/J-1', ['asyncUpdateJob']],
  ['POST', '/projects/p/jobs/batch', ['syncCreateJobs']],
  ['PATCH', '/projects/p/jobs/batch', ['syncUpdateJobs']],
  ['POST', '/projects/p/orders', ['asyncImportOrders', 'syncImportOrders']],
  ['PATCH', '/projects/p/orders/O-1', ['asyncUpdateOrder', 'syncUpdateOrder']],
  ['POST', '/projects/p/subprojects/s/jobs', ['asyncImportJobsInSubproject', 'syncCreateJobInSubproject']],
  ['POST', '/jobs', ['asyncImportJobs', 'syncCreateJob']],
  ['POST', '/routes', ['asyncImportRoutes']],
  ['PATCH', '/jobs/J-1', ['asyncUpdateJob']],
  ['POST', '/jobs/batch', ['syncCreateJobs']],
  ['POST', '/project/p/users', ['registerUser']],
  ['POST', '/projects/p/location', ['submitLocation']],
  ['POST', '/asnyc/projects/p/jobs', ['asyncImportJobs']],
  ['POST', '/v1/async/projects/p/jobs', ['asyncImportJobs']],
])('%s %s', async (method, path, expected) => {
  const { status, body } = await sandbox.api(method, path, {});
  expect(status).toBe(404);
  expect([...body.message.matchAll(/\((\w+)\)/g)].map(([, id]) => id)).toEqual(expected);
});
