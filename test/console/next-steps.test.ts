/** The overview of the quality screen suggests the most useful failures to meet next. */
import { expect, test } from 'vitest';
import { filterAreas, type Shown } from '../../src/console/screens/quality/coverage/filter.ts';
import { findNextSteps } from '../../src/console/screens/quality/overview/next-steps.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

async function unmetOf(project: string): Promise<readonly Shown[]> {
  const { body } = await sandbox.control('GET', `/projects/${project}/coverage`);
  return filterAreas(body, { search: '', met: false });
}

const namesOf = (unmet: readonly Shown[], ...metKinds: string[]) =>
  findNextSteps(unmet, new Set(metKinds)).map(({ area, item }) => `${item?.kind ?? 'call'} ${area.name}`);

test('common kinds come first, each once, for the operation with the most calls', async () => {
  const project = freshProject();
  for (const id of ['O-1', 'O-2']) await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
  const unmet = await unmetOf(project);
  const names = namesOf(unmet);
  expect(names.slice(0, 4)).toEqual([
    'refused syncImportOrders',
    'failed-downstream syncImportOrders',
    expect.stringMatching(/^delivered \w+\./),
    'status-503 syncImportOrders',
  ]);
  // Kinds come again for other operations, after all kinds.
  expect(names.indexOf('refused asyncImportJobs')).toBeGreaterThan(names.indexOf('connection-drip syncImportOrders'));
  // A kind that was met anywhere is less useful.
  expect(namesOf(unmet, 'refused')[0]).toBe('failed-downstream syncImportOrders');
});

test('without calls, the operations are called first', async () => {
  const names = namesOf(await unmetOf(freshProject()));
  expect(names[0]).toMatch(/^call /);
  expect(names.every((name) => name.startsWith('call '))).toBe(true);
});
