/** What the journal of a project keeps. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();
const get = (project: string, path = '') => sandbox.control('GET', `/projects/${project}${path}`);

describe('the journal', () => {
  test('truncates bodies over 256 kB and marks them', async () => {
    const project = freshProject();
    const jobs = Array.from({ length: 3000 }, (_, n) => ({ id: `JÖB-${n}`, tags: ['€'.repeat(80)] }));
    const response = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
    const id = response.headers['x-request-id'];
    const { request, response: answered } = (await get(project, `/requests/${id}`)).body;
    const size = Buffer.byteLength(JSON.stringify({ jobs }));
    expect(request.bodyCut).toBe(size);
    expect(Buffer.byteLength(request.body)).toBeLessThan(257 * 1024);
    expect(request.body).toMatch(/^[^\uFFFD]*… \(truncated: [\d,]+ bytes in total\)$/);
    expect(request.body.startsWith('{"jobs":[{"id":"JÖB-0"')).toBe(true);
    expect(answered).not.toHaveProperty('bodyCut');
    expect(JSON.parse(answered.body).jobsReceived).toBe(3000);
  });

  test('stores 1,000 requests per project', async () => {
    const project = freshProject();
    const path = `/sync/projects/${project}/orders`;
    const toRequest = (_: unknown, n: number) => ({ method: 'POST', path, body: { orders: [{ id: `${n}` }] } });
    await sendPipelined(sandbox.url(), Array.from({ length: 1010 }, toRequest));
    const { items } = (await get(project, '/requests?limit=1000')).body;
    expect(items).toHaveLength(1000);
    expect((await get(project)).body.counts).toMatchObject({ requests: 1000, orders: 1010 });
  });
});
