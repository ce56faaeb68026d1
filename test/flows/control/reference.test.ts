/** The list of operations, and samples that can be sent as they are. flows/transcripts/reference.txt has what they say. */
import { expect, test } from 'vitest';
import { operationIds } from '../../../src/operations/index.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

/** Sends a sample as it is, and returns the status. */
async function send(project: string, id: string): Promise<number> {
  const { method, url, headers, body } = (await sandbox.control('GET', `/projects/${project}/samples/${id}`)).body;
  return (await sandbox.api(method, url, body, headers)).status;
}

test('lists all operations and the callback, sorted by heading', async () => {
  const { body } = await sandbox.control('GET', '/openapi.json?view=operations');
  expect(body).toMatchObject({ keyHeader: 'apikey' });
  expect(body.servers[0].url).toBe(sandbox.url());
  const ids = body.operations.map(({ id }: { id: string }) => id);
  expect([...ids].sort()).toEqual([...operationIds, 'downstreamFailed'].sort());
  const tags: string[] = body.operations.map(({ tag }: { tag: string }) => tag);
  expect(tags.filter((tag, index) => tag !== tags[index - 1])).toHaveLength(new Set(tags).size);
});

test('every sample is accepted, once there are records to update, and again with new ids', async () => {
  const project = freshProject();
  // What is accepted for later waits, so that the latest records do not depend on the time.
  await sandbox.freeze(project);
  const first = ['syncCreateJobs', 'syncImportOrders', 'registerUser', 'syncCreateJobsInSubproject'];
  for (const id of [...first, ...operationIds, ...operationIds]) {
    expect(await send(project, id), id).toBeLessThan(300);
  }
  const requests = await sandbox.items(project, 'requests');
  expect(requests.filter(({ entries }) => (entries as { refused: number }).refused > 0)).toEqual([]);
});
