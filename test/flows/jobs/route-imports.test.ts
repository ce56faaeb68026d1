/** Accepted routes: which callbacks report them, and that a route is imported once, whenever its jobs fail. */
import { expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from '../callbacks/steps.ts';

const callbacks = { ...shippedProfile.callbacks, successes: true };
const sandbox = useSandbox({ profile: writeProfile({ callbacks }) }, { ...shippedProfile, callbacks });

interface Callback {
  readonly type: string;
  readonly body: { readonly data: Record<'failed' | 'succeeded', { readonly id: string }[] | undefined> };
}

const routes = [
  { id: 'R-1', jobs: [{ id: 'J-1' }, { id: 'J-2' }] },
  { id: 'R-2', jobs: [{ id: 'J-3' }] },
];

test('a callback of successes lists a route before its jobs', async () => {
  const project = await frozenProject(sandbox);
  await sandbox.api('POST', `/async/projects/${project}/routes`, { routes });
  await sandbox.advance(project);
  const [callback] = (await sandbox.items(project, 'callbacks')) as unknown as Callback[];
  expect(callback?.body.data.succeeded?.map(({ id }) => id)).toEqual(['R-1', 'J-1', 'J-2', 'R-2', 'J-3']);
});

test('a job that fails later than the others does not import its route again', async () => {
  const project = await frozenProject(sandbox);
  const rule = { when: { operation: 'asyncImportRoutes', item: [2] }, then: { fail: 'late', after: '5s' } };
  const scenarios = [{ name: 'later', rules: [rule] }];
  expect((await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios })).status).toBe(200);
  await sandbox.api('POST', `/async/projects/${project}/routes`, { routes });
  await sandbox.advance(project);
  const shown = (await sandbox.items(project, 'callbacks')) as unknown as Callback[];
  expect(
    shown.map(({ body: { data } }) => [data.succeeded?.length ?? 0, data.failed?.map(({ id }) => id) ?? []]),
  ).toEqual([
    [4, []],
    [0, ['J-2']],
  ]);
});

test('a route lacks a job that an earlier route of the same request has taken', async () => {
  const project = await frozenProject(sandbox);
  const send = (...list: readonly object[]) =>
    sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: list });
  await send({ id: 'R-1', jobs: [{ id: 'J-1' }] });
  const taken = { id: 'R-2', jobs: [{ id: 'J-1' }] };
  const { body } = await send(taken, { id: 'R-1', jobs: [{ id: 'J-1' }] });
  // The job fails, because the request names it twice; the route itself does not exist "already".
  expect(body.failed.map(({ id }: { id: string }) => id)).toEqual(['J-1']);
  const { body: route } = await sandbox.control('GET', `/projects/${project}/routes/R-1`);
  expect(route.jobs).toEqual([]);
});
