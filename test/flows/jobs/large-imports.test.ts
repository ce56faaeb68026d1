/** Records of a large import are kept as its text until one is read: nobody who looks can tell them from others. */
import { expect, test } from 'vitest';
import { Exchange } from '../../../src/http/exchange.ts';
import { addAppliedTo } from '../../../src/journal/journal.ts';
import { operations } from '../../../src/operations/index.ts';
import { parseCommand } from '../../../src/operations/parse-command.ts';
import { nothingReplaced } from '../../../src/records/records.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

test.each([
  ['jobs', 'jobs/batch', 'trackingId', 0],
  ['orders', 'orders', 'trackId', 0],
  // Longer bodies are read in pieces, and kept so.
  ['orders', 'orders', 'trackId', 20_000],
])('a large import of %s is stored like a small one (%#)', async (list, path, tracking, padding) => {
  const [large, small] = [freshProject(), freshProject()];
  const entries = Array.from({ length: 120 }, (_, index) => ({
    id: `E-${index % 119}`,
    tags: [`t${index}`],
    attributes: { index, padding: 'x'.repeat(padding) },
    ...(index % 3 === 0 && { subProjectId: 'north' }),
    ...(index % 5 === 0 && { [tracking]: `T-${index}` }),
  }));
  for (const project of [large, small]) await sandbox.freeze(project);
  const once = await sandbox.api('POST', `/sync/projects/${large}/${path}`, { [list]: entries });
  expect(once.body.failed).toEqual([{ id: 'E-0', reason: expect.stringContaining('exists already') }]);
  for (let at = 0; at < entries.length; at += 20) {
    await sandbox.api('POST', `/sync/projects/${small}/${path}`, { [list]: entries.slice(at, at + 20) });
  }
  const timeless = (records: Record<string, unknown>[]) =>
    records.map(({ createdAt, updatedAt, ...fields }) => {
      expect([typeof createdAt, typeof updatedAt]).toEqual(['string', 'string']);
      return 'T-' === String(fields[tracking]).slice(0, 2) ? fields : { ...fields, [tracking]: 'generated' };
    });
  const stored = await sandbox.items(large, list);
  expect(stored).toHaveLength(119);
  expect(timeless(stored)).toEqual(timeless(await sandbox.items(small, list)));
  expect(stored[0]).toMatchObject({ id: 'E-0', tags: ['t0'], subProjectId: 'north', [tracking]: 'T-0' });
});

test('a snapshot of a large import that nobody has read has what the sandbox added', async () => {
  const [project, clock] = [freshProject(), { mode: 'frozen' }];
  await sandbox.control('PUT', `/projects/${project}/clock`, clock);
  const orders = Array.from({ length: 120 }, (_, n) => ({ id: `O-${n}` }));
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders });
  const { body } = await sandbox.control('GET', `/projects/${project}/snapshot`);
  expect(body.orders).toEqual(await sandbox.items(project, 'orders'));
  expect(body.orders[119]).toMatchObject({ trackId: expect.any(String), createdAt: expect.any(String) });
});

test('a profile may allow more entries, each with a warning, than a call can have arguments', () => {
  const many = Array.from({ length: 500_000 }, (_, index) => ({ id: `J${index}`, path: '', message: '' }));
  const body = { routes: [{ id: 'R', jobs: many }] };
  expect(parseCommand(operations.syncCreateRoutes, {}, body, new Map()).command.entries).toHaveLength(many.length);
  const exchange = new Exchange({ method: 'POST', url: '/', headers: {} }, 0);
  exchange.warn(many);
  addAppliedTo({ ...exchange, applied: [] }, { ...nothingReplaced, atMs: 0, failed: [] }, many);
  expect(exchange.warnings).toHaveLength(2 * many.length);
});

test('updates of one record repeat its ids within 32 million characters', async () => {
  const project = freshProject();
  const id = 'J-1';
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id, trackingId: 'T'.repeat(1e6) }] });
  const updates = { jobs: Array.from({ length: 40 }, () => ({ id })) };
  const { body } = await sandbox.api('PATCH', `/sync/projects/${project}/jobs/batch`, updates);
  expect(body.jobsReceived).toBe(40);
  expect(body.jobs.map((job: object) => Object.keys(job).length).join('')).toBe('2'.repeat(32) + '1'.repeat(8));
});

test('an id in all entries of an update and of pending imports is looked up once', async () => {
  const project = freshProject();
  await sandbox.freeze(project);
  const jobs = Array.from({ length: 10_000 }, () => ({ id: 'J-1' }));
  for (let n = 0; n < 4; n += 1) await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  const startMs = performance.now();
  const { body } = await sandbox.api('PATCH', `/async/projects/${project}/jobs`, { jobs });
  expect(body.jobs.at(-1)).toEqual(body.jobs[0]);
  // Each of 10,000 entries would take a millisecond, and all of them about 75 ms otherwise.
  expect(performance.now() - startMs).toBeLessThan(4000);
});

test('a body that names one route 10,000 times copies its jobs once', async () => {
  const [project, startMs] = [freshProject(), performance.now()];
  const routes = Array.from({ length: 10_000 }, (_, n) => ({ id: 'R-1', jobs: [{ id: `J-${n}` }] }));
  const { body } = await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes });
  expect(body.jobsReceived).toBe(10_000);
  const [route] = await sandbox.items(project, 'routes');
  expect(route?.['jobs']).toHaveLength(10_000);
  // Copies for each of them would take 10 s.
  expect(performance.now() - startMs).toBeLessThan(4000);
});
