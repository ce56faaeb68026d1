/** The rules that fired on a request, as the journal keeps them: with the number of the request among those of its operation. */
import { expect, test } from 'vitest';
import { type KeptSandbox, useFolders } from '../flows/data-steps.ts';

const { fresh, start } = useFolders();
const scenario = JSON.stringify({
  name: 'counted',
  rules: [
    { name: 'second', when: { item: 2 }, then: { refuse: 'no' } },
    { name: 'all', then: { latency: '0s' } },
  ],
});
const startCounted = (folder: string) => start(folder, { scenarios: [scenario], clock: 'frozen' });

const importJobs = ({ api }: KeptSandbox, ids: readonly unknown[], project = 'p') =>
  api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });

/** Which rules fired on each request of a project, in short. */
const listFired = ({ sandbox }: KeptSandbox, project = 'p') =>
  sandbox.journal
    .list(project)
    .map(({ fired }) => fired.map(({ rule, operation, nth, items }) => [operation, nth, rule, items]));

const secondOf = (nth: number) => ['asyncImportJobs', nth, 'second', [2]];
const allOf = (nth: number, operation = 'asyncImportJobs') => [operation, nth, 'all', undefined];

test('requests are numbered by operation, without those that rules do not see, also after a restart', async () => {
  const folder = fresh();
  const first = await startCounted(folder);
  await importJobs(first, ['J-1']);
  await first.api('POST', '/async/projects/p/orders', { orders: [] });
  await importJobs(first, [7]);
  await first.api('POST', '/async/projects/p/jobs', { jobs: 'none' });
  await importJobs(first, ['J-2', 'J-3']);
  expect(listFired(first)).toEqual([
    ...[[allOf(1)], [allOf(1, 'asyncImportOrders')], [allOf(2)], [], [secondOf(3), allOf(3)]],
  ]);
  await first.close();
  const second = await startCounted(folder);
  await importJobs(second, ['J-4']);
  expect(listFired(second)).toEqual([[allOf(4)]]);
});

test('a replay gets the same numbers, and a reset starts them again', async () => {
  const kept = await startCounted(fresh());
  await importJobs(kept, ['J-0']);
  await kept.control('POST', '/projects/p/reset');
  await importJobs(kept, ['J-1']);
  await importJobs(kept, ['J-2', 'J-3']);
  // A fork at an earlier change is replayed until then.
  await kept.control('POST', '/projects/p/fork', { to: 'copy', atChange: 1 });
  await importJobs(kept, ['J-2', 'J-3'], 'copy');
  expect(listFired(kept)).toEqual([[allOf(1)], [secondOf(2), allOf(2)]]);
  expect(listFired(kept, 'copy')).toEqual([[secondOf(2), allOf(2)]]);
});

test('entries of the rules that fired on a request are kept up to a total of 10,000', async () => {
  const effects = [{ refuse: 'no' }, { fail: 'no' }, { callback: { copies: 2 } }];
  const rules = effects.map((then) => ({ when: { item: { every: 1 } }, then }));
  const scenarios = [JSON.stringify({ name: 'counted', rules })];
  const kept = await start(fresh(), { scenarios, clock: 'frozen' });
  await importJobs(
    kept,
    Array.from({ length: 4000 }, (_, index) => `J-${index}`),
  );
  const [entry] = kept.sandbox.journal.list('p');
  expect(entry?.fired.map(({ items }) => items?.length)).toEqual([4000, 4000, undefined]);
});
