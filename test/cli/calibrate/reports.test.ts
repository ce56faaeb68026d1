/** What the reports say: predictions, groups of differences, and texts of the traffic in Markdown. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createFolder, imported, runOn, type Sent, writeHar } from './run-calibrate.ts';

const folder = createFolder();

const route = { id: 'R', driver: { employeeId: 17 }, jobs: [{ id: 'J' }] };
const jobs = '/sync/projects/acme';
const routed: Sent = {
  method: 'POST',
  path: `${jobs}/routes/batch`,
  body: { routes: [route] },
  status: 200,
  result: { failed: [], jobs: [{ orderNumber: 'J', trackingId: 'T' }], jobsReceived: 1 },
};
const repeated: Sent = {
  method: 'POST',
  path: `${jobs}/jobs/batch`,
  body: { jobs: [{ id: 'J' }] },
  status: 200,
  result: { failed: [{ id: 'J', reason: 'the job "J" already exists' }], jobs: [], jobsReceived: 1 },
};

test('predicts what the next run says: records are not assumed if a proposal explains the response', async () => {
  const [write, overlay] = [path.join(folder, 'found.yaml'), path.join(folder, 'found.overlay.yaml')];
  const har = writeHar(folder, [routed, repeated]);
  const first = await runOn(folder, har, { write, overlay });
  const second = await runOn(folder, har, { profile: write });
  expect(first.summary?.proposed.agreement).toBe(second.summary?.agreement);
  expect(second.summary).toMatchObject({ agreement: 1, assumed: [] });
  expect(first.summary?.assumed).toEqual([]);
});

test('a field that all results have more is one difference, which is listed once', async () => {
  const created: Sent = { ...repeated, result: routed.result };
  const batch = (one: Sent): Sent => ({ ...one, result: { ...one.result, batchId: 'B' } });
  const har = writeHar(folder, [created, imported('A'), imported('B')].map(batch), 'batch');
  const { out, summary } = await runOn(folder, har);
  const added = summary?.differences.filter(({ seen }) => seen === '+ batchId: string');
  expect(added?.map(({ operation, count }) => [operation, count])).toEqual([
    ['syncImportOrders', 2],
    ['syncCreateJobs', 1],
  ]);
  expect(out).toContain('3 × result body, 2 operations\n  sandbox:  no batchId\n  traffic:  + batchId: string\n');
  expect(out.match(/batchId: string/g)).toHaveLength(1);
});

test('names the differences in headers beside an agreement of 100 %', async () => {
  const markdown = path.join(folder, 'headers.md');
  const har = writeHar(folder, [{ ...imported('A'), headers: { 'x-api-version': '7' } }], 'headers');
  const { code, out } = await runOn(folder, har, { markdown });
  const line = 'of the mapped exchanges have the same status and body shape, and 1 difference in headers\n';
  expect(code).toBe(1);
  expect(out).toContain(`agreement: 100 % ${line}`);
  expect(readFileSync(markdown, 'utf8')).toContain('body shape, and 1 difference in headers');
});

test('Markdown shows texts of the traffic as code, so that they need no escapes', async () => {
  const markdown = path.join(folder, 'shapes.md');
  const strange = { ...imported('A').result, 'a_b#*|`<b>': 1 };
  const har = writeHar(folder, [{ ...imported('A'), result: strange }], 'a_b');
  await runOn(folder, har, { markdown });
  const text = readFileSync(markdown, 'utf8');
  expect(text).toContain('`` + a_b#*\\|`<b>: number ``');
  expect(text).toContain('a_b.har#0`');
  expect(text).not.toMatch(/\\[#_*]/);
});
