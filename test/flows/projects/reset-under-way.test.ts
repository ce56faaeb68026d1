/** A request that was under way when its project was reset is answered, and leaves no trace in the new world. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

/** Sends half of a body; gives what sends the rest and awaits the answer. */
async function beginRequest(path: string, body: string) {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json', 'content-length': body.length };
  const sending = request(sandbox.url() + path, { method: 'POST', headers });
  sending.write(body.slice(0, body.length / 2));
  return async (): Promise<number | undefined> => {
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.end(body.slice(body.length / 2));
    const [response] = await answered;
    response.resume();
    return response.statusCode;
  };
}

async function isThere(project: string): Promise<boolean> {
  const { items } = (await sandbox.control('GET', '/projects?limit=1000')).body;
  return items.some(({ id }: { id: string }) => id === project);
}

test.each([
  ['synchronous', '/sync/projects/:p/jobs/batch', 200],
  ['asynchronous', '/async/projects/:p/jobs', 202],
])('a %s request whose body was still arriving', async (_, path, status) => {
  const project = freshProject();
  const end = await beginRequest(
    path.replace(':p', project),
    JSON.stringify({ jobs: [{ id: 'A' }, { id: 'FAIL-1' }] }),
  );
  while (!(await isThere(project)));
  await sandbox.control('POST', `/projects/${project}/reset`);
  await sandbox.freeze(project);
  expect(await end()).toBe(status);
  expect(await sandbox.advance(project, '1h')).toMatchObject({ processed: 0, delivered: 0, pending: 0 });
  const { counts } = (await sandbox.control('GET', `/projects/${project}`)).body;
  expect(counts).toMatchObject({ jobs: 0, requests: 0, callbacks: 0, pending: 0 });
});

test('a request of the world before that is refused leaves the new one alone', async () => {
  const project = freshProject();
  const path = `/sync/projects/${project}/jobs/batch`;
  const end = await beginRequest(path, JSON.stringify({ jobs: Array.from({ length: 10_001 }, (_, n) => ({ id: n })) }));
  while (!(await isThere(project)));
  await sandbox.control('POST', `/projects/${project}/reset`);
  expect(await sandbox.api('POST', path, { jobs: [{ id: 'NEW' }] })).toMatchObject({ status: 200 });
  expect(await end()).toBe(413);
  const { counts } = (await sandbox.control('GET', `/projects/${project}`)).body;
  expect(counts).toMatchObject({ jobs: 1, requests: 1 });
});
