/** `failureCases`: the failures of the API without a sandbox, so that runners can list a test for each. */
import { expect, test } from 'vitest';
import { failureCases } from '../../../src/index.ts';
import { importJobs, useKit } from '../kit.ts';

const sandbox = useKit({ clock: 'frozen' });

test('has the kinds of the catalog for each operation, except limit', async () => {
  const catalog = await (await fetch(`${sandbox().url}/_sandbox/catalog`)).json();
  const { items } = catalog as { items: { operation: string; failures: { kind: string }[] }[] };
  for (const { operation, failures } of items) {
    const kinds = failureCases({ operation }).map(({ kind }) => kind);
    expect([...new Set(kinds)]).toEqual(failures.map(({ kind }) => kind).filter((kind) => kind !== 'limit'));
  }
});

test('selects by globs, and describes each case', () => {
  const cases = failureCases({ operation: ['submitLocation', 'async*Orders'], kinds: ['status-50?', 'refused'] });
  expect(cases.map((one) => one.case).filter((id) => !id.includes('Orders'))).toEqual([
    ...['refused/1', 'status-500/1', 'status-502/1', 'status-503/1', 'status-504/1'].map(
      (id) => `submitLocation/${id}`,
    ),
    ...['status-500/always', 'status-503/always'].map((id) => `submitLocation/${id}`),
  ]);
  expect(cases.find((one) => one.case === 'asyncImportOrders/status-503/always')).toMatchObject({
    operation: 'asyncImportOrders',
    kind: 'status-503',
    always: true,
    expects: 'report',
    about: 'the response is 503 (the service is unavailable); the request has no effect',
  });
});

test('a case of a list is a scenario for one project', async () => {
  const [once, always] = failureCases({ operation: 'asyncImportJobs', kinds: 'status-429' });
  const project = sandbox().project();
  await project.use(once?.yaml ?? '');
  const first = await importJobs(project, 'ORD-1');
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await importJobs(project, 'ORD-1')).status).toBe(202);
  await project.use(always?.yaml ?? '');
  for (let count = 0; count < 3; count += 1) expect((await importJobs(project, 'ORD-2')).status).toBe(429);
});
