/** Creates the input of a callback: an import of jobs without failures, plus the fields that a test sets. */
import type { NewCallback } from '../../src/callbacks/callback.ts';

export function toFailures(more: Partial<NewCallback> = {}): NewCallback {
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
    fault: undefined,
    ...more,
  };
}
