/** Every project is a world of its own. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf } from '../callbacks/steps.ts';

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
