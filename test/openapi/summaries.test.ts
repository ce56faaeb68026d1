/** The operator's documentation identifies operations by summary, so the served document has exactly its words. */
import { expect, test } from 'vitest';
import source from '../../spec/openapi.yaml';
import { type ApiDocument, eachOperation } from '../../src/openapi/document.ts';

const summaries = {
  registerUser: 'Registers a new user',
  updateUser: 'Update user',
  asyncImportJobs: 'Import new jobs',
  asyncUpdateJobs: 'Perform a batch update of jobs',
  asyncUpdateJob: 'Update a job',
  asyncImportRoutes: 'Import new routes',
  asyncImportJobsInSubproject: 'Import new jobs for a particular subproject',
  asyncUpdateJobsInSubproject: 'Perform a batch update of jobs for a particular subproject',
  asyncUpdateJobInSubproject: 'Update a job for a particular subproject',
  asyncImportRoutesInSubproject: 'Import new routes for a particular subproject',
  syncCreateJobs: 'Create batch of jobs in a single request',
  syncUpdateJobs: 'Update a batch of jobs in a single request',
  syncCreateRoutes: 'Create batch of routes in a single request',
  syncCreateJob: 'Create new job',
  syncUpdateJob: 'Update a job',
  syncCreateJobsInSubproject: 'Create batch of jobs for a particular subproject',
  syncCreateRoutesInSubproject: 'Create batch of routes for a particular subproject',
  syncCreateJobInSubproject: 'Create new job for a particular subproject',
  syncUpdateJobInSubproject: 'Update a job for a particular subproject',
  asyncImportOrders: 'Import new orders',
  asyncUpdateOrder: 'Update a order',
  asyncImportOrdersInSubproject: 'Import new orders for a particular subproject',
  asyncUpdateOrderInSubproject: 'Update a order for a particular subproject',
  syncImportOrders: 'Import new orders',
  syncUpdateOrder: 'Update an existing order',
  syncImportOrdersInSubproject: 'Import new orders for a particular subproject',
  syncUpdateOrderInSubproject: 'Update an existing order for a particular subproject',
  submitLocation: 'Submit a single device location',
  submitLocations: 'Submit a batch of locations for different devices',
};

const operations = [...eachOperation(source as ApiDocument)].map(({ operation }) => operation);

test('every operation has the summary of the documentation', () => {
  const found = operations.map(({ operationId, summary }) => [operationId, summary]);
  expect(Object.fromEntries(found)).toEqual(summaries);
});

test('operations of the same summary differ in the mode that their tag and description state', () => {
  for (const { operationId, tags, description } of operations) {
    const [, mode] = /^(async|sync)[A-Z]/.exec(String(operationId)) ?? [];
    if (mode) expect(`${tags} ${description}`).toMatch(new RegExp(`, ${mode}hronous .* this ${mode}hronous operation`));
  }
});
