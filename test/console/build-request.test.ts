/** The reference builds requests where a profile has moved the project. */
import { expect, test } from 'vitest';
import { buildRequest } from '../../src/console/screens/reference/build-request.ts';
import type { ApiOperation } from '../../src/console/screens/reference/document.ts';

const operation: ApiOperation = {
  ...{ id: 'asyncUpdateJob', isCallback: false, method: 'PATCH', tag: 'Jobs', summary: '', description: '' },
  ...{ path: '/projects/{projectId}/jobs/{jobId}', assumption: '', responses: [], callbacks: [], identifiers: {} },
  parameters: [
    { name: 'projectId', in: 'path' },
    { name: 'jobId', in: 'path' },
  ],
  body: { type: 'application/json', schema: {}, examples: [] },
};
const key = ['apikey', 'secret'] as const;
const fields = { project: 'a b', key, scenario: '', values: { jobId: 'J/1' }, body: '{}' };

test('parameters are encoded, and the scenario is a header', () => {
  expect(buildRequest(operation, { ...fields, scenario: 'outage' })).toEqual({
    method: 'PATCH',
    target: '/projects/a%20b/jobs/J%2F1',
    headers: { apikey: 'secret', 'content-type': 'application/json', 'x-sandbox-scenario': 'outage' },
    body: '{}',
  });
});

test('a moved project is in the query or in a header; empty values are omitted', () => {
  const path = '/v2/job';
  const query = [
    { name: 'project', in: 'query' },
    { name: 'jobId', in: 'query' },
  ];
  const inQuery = {
    ...operation,
    path,
    parameters: query,
    identifiers: { projectId: 'query:project', jobId: 'query:jobId' },
  };
  expect(buildRequest(inQuery, { ...fields, values: {} }).target).toBe('/v2/job?project=a%20b');
  const header = {
    ...operation,
    path,
    parameters: [{ name: 'x-project', in: 'header' }],
    identifiers: { projectId: 'header:x-project' },
  };
  const built = buildRequest(header, { ...fields, key: ['apikey', ''], body: '' });
  expect(built).toEqual({ method: 'PATCH', target: path, headers: { 'x-project': 'a b' }, body: undefined });
});
