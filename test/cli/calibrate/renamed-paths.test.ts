/** Paths that have nothing in common with the default ones: identifiers never stay fixed, and `--map` is prepared. */
import { expect, test } from 'vitest';
import { createFolder, imported, runOn, type Sent, writeHar } from './run-calibrate.ts';

const folder = createFolder();

const created = (path: string, id: string, status = 200): Sent => ({
  method: 'POST',
  path,
  body: { jobs: [{ id }] },
  status,
  result: { failed: [], jobs: [{ orderNumber: id, trackingId: 'T' }], jobsReceived: 1 },
});

const hasLiteral = (report: unknown): boolean => /acme\/|umbrella\/|north\//.test(JSON.stringify(report));
const paths = [
  '/s/acme/subprojects/north/tasks',
  '/s/acme/subprojects/south/tasks',
  '/s/umbrella/subprojects/north/tasks',
];

test.each([
  ['a project that other paths have', paths.slice(0, 2), [imported('A')]],
  ['a project that no other path has', paths.slice(0, 1), []],
  ['a project that varies', paths, []],
])('%s is no fixed segment of a path', async (_name, own, others) => {
  const sent = [...own, ...own].map((path, index) => created(path, `J${index}`, 202));
  const { summary } = await runOn(folder, writeHar(folder, [...sent, ...others]));
  const { unmapped, differences } = summary ?? {};
  expect(hasLiteral({ differences, unmapped })).toBe(false);
  expect(summary?.differences[0]?.seen).toBe('POST /s/{projectId}/subprojects/{subProjectId}/tasks');
});

test('prepares --map for requests that fit several operations, in one group for all projects', async () => {
  const failed = ['acme', 'umbrella'].map((project) => ({ ...created(`/work/${project}/now`, 'J', 503), result: {} }));
  const { code, out, summary } = await runOn(folder, writeHar(folder, failed));
  expect(code).toBe(0);
  expect(summary?.unmapped).toMatchObject([{ path: '/work/{projectId}/now', count: 2 }]);
  expect(out).toContain("\n  --map 'POST /work/{projectId}/now=OPERATION'\n");
});
