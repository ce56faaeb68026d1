/** What a callback is made of: that of an import of jobs in which nothing has failed, but for what a test says. */
import type { Failures } from '../../src/callbacks/callback.ts';

export function toFailures(more: Partial<Failures> = {}): Failures {
  return {
    seed: 'test',
    change: 1,
    projectId: 'p',
    subProjectId: undefined,
    operation: 'asyncImportJobs',
    type: 'jobs.import.failed',
    requestId: 'req_1',
    failed: [],
    atMs: 0,
    disturbance: undefined,
    ...more,
  };
}
