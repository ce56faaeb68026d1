/** Every project is a world of its own, and the same requests make the same world. */
import { describe, expect, test } from 'vitest';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf } from '../callbacks/steps.ts';

describe('side by side', () => {
  const sandbox = useSandbox();

  /** A little story; `n` makes it unlike its neighbours. Gives what it should have come to. */
  async function live(project: string, n: number) {
    await sandbox.freeze(project);
    const mine = Array.from({ length: (n % 5) + 1 }, (_, index) => ({ id: `J-${index}`, sequence: n }));
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [...mine, { id: `FAIL-${n}` }] });
    await sandbox.advance(project, `${200 + n}ms`);
    await sandbox.api('PATCH', `/async/projects/${project}/jobs`, {
      jobs: [{ id: 'J-0', tags: [`${n}`] }, { id: 'none' }],
    });
    await sandbox.advance(project);
    return { jobs: mine.length, callbacks: 2 };
  }

  test('40 parallel projects do not see each other', async () => {
    const projects = Array.from({ length: 40 }, () => freshProject());
    const wanted = await Promise.all(projects.map((project, n) => live(project, n)));
    for (const [n, project] of projects.entries()) {
      const { body } = await sandbox.control('GET', `/projects/${project}`);
      expect(body.counts).toEqual({
        ...wanted[n],
        orders: 0,
        routes: 0,
        users: 0,
        locations: 0,
        requests: 2,
        pending: 0,
      });
      const jobs = await sandbox.items(project, 'jobs');
      expect(jobs.every(({ sequence }) => sequence === n)).toBe(true);
      expect(jobs[0]?.['tags']).toEqual([`${n}`]);
      const told = (await callbacksOf(sandbox, project)).map(({ body: { data } }) => data);
      expect(told.map(({ failed }) => failed.map(({ id }) => id))).toEqual([[`FAIL-${n}`], ['none']]);
      expect(new Set(told.map((data) => (data as unknown as { projectId: string }).projectId))).toEqual(
        new Set([project]),
      );
    }
    const ids = await Promise.all(projects.map(async (each) => (await callbacksOf(sandbox, each)).map(({ id }) => id)));
    expect(new Set(ids.flat()).size).toBe(80);
  });
});

describe('the same requests, seed and time', () => {
  const clock = '2026-03-02T09:30:00Z';
  const one = useSandbox({ clock });
  const two = useSandbox({ clock });
  const otherSeed = useSandbox({ clock, seed: 'another' });

  async function live(sandbox: TestSandbox): Promise<void> {
    const jobs = [{ id: 'A' }, { id: 'FAIL-GEOCODE-1' }, { id: 'B', status: 'NOPE' }, { id: 'C', colour: 'red' }];
    await sandbox.api('POST', '/async/projects/acme/jobs', { jobs });
    await sandbox.advance('acme', '1s');
    await sandbox.api('PATCH', '/async/projects/acme/subprojects/north/jobs/none', { status: 'DISPATCH' });
    await sandbox.api('GET', '/nowhere');
    await sandbox.api('POST', '/sync/projects/acme/orders', '{"orders": [', { apikey: 'wrong' });
    await sandbox.advance('acme');
  }

  /** All that can be seen of a sandbox, without real time (requests of no project have no other), and without its port. */
  async function see(sandbox: TestSandbox): Promise<string> {
    const paths = [
      '/requests',
      '/projects',
      ...['snapshot', 'callbacks', 'requests', 'clock'].map((p) => `/projects/acme/${p}`),
    ];
    const texts = await Promise.all(paths.map(async (path) => (await sandbox.control('GET', path)).text));
    const wallTime = /"durationMs":[\d.e-]+|"webhook-(timestamp|signature)":"[^"]*"|"at":"[^"]*","project":null/g;
    return texts.join('\n').replace(wallTime, '').replaceAll(new URL(sandbox.url()).host, 'HOST');
  }

  test('give identical journals, records and callbacks; another seed gives other ids', async () => {
    await Promise.all([one, two, otherSeed].map(live));
    const seen = await see(one);
    expect(seen.length).toBeGreaterThan(5000);
    expect(await see(two)).toBe(seen);
    const other = await see(otherSeed);
    expect(other).not.toBe(seen);
    const withoutIds = (text: string) => text.replace(/(req_|msg_|TRK-)[0-9a-f]{16}/g, 'ID');
    expect(withoutIds(other).length).toBe(withoutIds(seen).length);
  });
});
