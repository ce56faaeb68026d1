/** All ignored fields of a body are found, however many. flows/transcripts/bodies.txt has bodies with very many mistakes. */
import { expect, test } from 'vitest';
import { operations } from '../../src/operations/index.ts';
import { api } from './requests.ts';

test('ignored fields of accepted entries are found beside more mistakes than are counted', () => {
  const jobs = [
    { id: 'a', media: Array(600_000).fill({ a: 1 }) },
    { id: 'b', media: [{ b: 1 }] },
    { id: 'c', tags: [7] },
  ];
  const routed = api.operations.get('asyncImportJobs');
  const request = { params: { projectId: 'p' }, query: {}, body: { jobs } };
  const { list } = operations.asyncImportJobs;
  const found = routed && api.validate(routed, request, { list, strict: false });
  expect(found).toMatchObject({ violationCount: 0, warningCount: 600_001 });
  expect(found?.unknown).toHaveLength(600_001);
  expect([...(found?.refused.keys() ?? [])]).toEqual(['2']);
});
