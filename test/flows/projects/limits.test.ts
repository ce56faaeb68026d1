/** The limits of a project: what would pass one is refused before it takes effect, and what was accepted is applied. */
import { once } from 'node:events';
import { get } from 'node:http';
import { describe, expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { sendPipelined } from '../pipeline.ts';

const withLimits = (project: object) => useSandbox({ clock: 'frozen', profile: writeProfile({ limits: { project } }) });

const jobs = (from: number, count: number, more: object = {}) => ({
  jobs: Array.from({ length: count }, (_, at) => ({ id: `JOB-${from + at}`, ...more })),
});

type Client = ReturnType<typeof useSandbox>;

const sync = (client: Client, project: string, body: object) =>
  client.api('POST', `/sync/projects/${project}/jobs/batch`, body);
const async = (client: Client, project: string, body: object | string) =>
  client.api('POST', `/async/projects/${project}/jobs`, body);
const counts = async (client: Client, project: string) =>
  (await client.control('GET', `/projects/${project}`)).body.counts as Record<string, number>;

describe('limits.project.bytes', () => {
  const client = withLimits({ bytes: '1MB' });
  const note = 'x'.repeat(2000);

  test('rejects every kind of growth beyond it, after dropping entries of the journal', async () => {
    const project = freshProject();
    let stored = 0;
    let last = await sync(client, project, jobs(0, 40, { secondaryReference: note }));
    for (; last.status === 200 && stored < 2000; stored += 40) {
      last = await sync(client, project, jobs(stored + 40, 40, { secondaryReference: note }));
    }
    expect(last.status).toBe(507);
    expect(last.body.message).toContain('"limits.project.bytes" is 1,048,576: the project holds');
    expect((await async(client, project, jobs(9000, 40, { secondaryReference: note }))).status).toBe(507);
    const held = await counts(client, project);
    // Each import took as much in the journal as in the records: those went before anything was refused.
    expect(held['requests']).toBeLessThan(stored / 40);
    expect(held['jobs']).toBeGreaterThan(100);
  });

  test('applies to redelivered callbacks', async () => {
    const project = freshProject();
    await async(client, project, { jobs: [{ id: 'FAIL-1' }] });
    await client.control('POST', `/projects/${project}/clock/advance`, { until: 'idle' });
    const { body: callbacks } = await client.control('GET', `/projects/${project}/callbacks`);
    let next = 0;
    // In large steps, then in small ones, until not even an attempt fits.
    for (const [size, text] of [
      [40, note],
      [1, note],
      [1, ''],
    ] as const) {
      for (let isFull = false; !isFull; next += size) {
        const filled = await sync(client, project, jobs(next, size, { secondaryReference: text }));
        isFull = filled.status === 507;
      }
    }
    await client.control('PUT', `/projects/${project}/callback-endpoint`, { url: 'http://127.0.0.1:9/' });
    const again = await client.control('POST', `/projects/${project}/callbacks/${callbacks.items[0].id}/redeliver`);
    expect(again.status).toBe(507);
    expect(again.body.message).toContain('"limits.project.bytes" is 1,048,576');
  });

  test('many small requests only drop entries of the journal', async () => {
    const project = freshProject();
    const path = `/sync/projects/${project}/jobs`;
    const request = { method: 'PATCH', path, body: { id: 'NONE', status: 'DISPATCH', secondaryReference: note } };
    const statuses = await sendPipelined(client.url(), Array(400).fill(request));
    expect(new Set(statuses)).toEqual(new Set([404]));
    const { requests = 0 } = await counts(client, project);
    expect(requests).toBeGreaterThan(50);
    expect(requests).toBeLessThan(400);
  });
});

describe('limits.project.followers', () => {
  const client = withLimits({ followers: 1 });

  test.each([
    ['events', (project: string) => `/events?project=${project}`],
    ['a listener', (project: string) => `/projects/${project}/listener?takeover=true`],
  ])('rejects one more with 429 until one disconnects: %s', async (_, toPath) => {
    const path = toPath(freshProject());
    /** Follows until it leaves; returns the status. */
    const follow = async () => {
      const following = get(`${client.url()}/_sandbox${path}`);
      const [{ statusCode }] = await once(following, 'response');
      return { status: statusCode, leave: () => following.on('error', () => undefined).destroy() };
    };
    const first = await follow();
    expect(first.status).toBe(200);
    const refused = await client.control('GET', path);
    expect(refused.status).toBe(429);
    expect(refused.body.message).toContain('"limits.project.followers" is 1');
    first.leave();
    await expect
      .poll(async () => {
        const next = await follow();
        next.leave();
        return next.status;
      })
      .toBe(200);
  });
});

describe('the metrics of limits', () => {
  const client = withLimits({ records: 100 });

  test('have the refusals of each limit, and the memory that is used', async () => {
    await sync(client, 'p', jobs(0, 5));
    await sync(client, 'p', jobs(100, 100));
    const metrics = (await client.control('GET', '/metrics')).text;
    expect(metrics).toMatch(/^sandbox_refused_total\{limit="records"\} 1$/m);
    expect(metrics).toMatch(/^sandbox_memory_bytes [1-9]\d{3,}$/m);
    expect(metrics).toMatch(/^sandbox_memory_limit_bytes \d{8,}$/m);
    expect(metrics).toMatch(/^sandbox_largest_project_bytes [1-9]\d{3,}$/m);
  });
});
