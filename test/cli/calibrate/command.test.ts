/** The command: exit codes, reports, `--map`, assumed records and removed keys. docs/guides/drift.md describes it. */
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CalibrateOptions } from '../../../src/cli/calibrate/command.ts';
import { createFolder, imported, runOn, type Sent, toHarText, updated } from './run-calibrate.ts';

const folder = createFolder();

let files = 0;

function write(content: string): string {
  files += 1;
  const file = path.join(folder, `${files}.har`);
  writeFileSync(file, content);
  return file;
}

const toHar = (...all: readonly Sent[]): string => write(toHarText(all));
const run = (file: string, options?: CalibrateOptions) => runOn(folder, file, options);

test('exits with 0 if the sandbox agrees, and writes no proposals', async () => {
  const writeTo = path.join(folder, 'same.yaml');
  const overlay = path.join(folder, 'same.overlay.yaml');
  const { code, out, summary } = await run(toHar(imported('A'), updated('A')), { write: writeTo, overlay });
  expect(code).toBe(0);
  expect(out).toContain(`not written: ${writeTo}, ${overlay} (there are no differences)`);
  expect(summary).toMatchObject({ exchanges: 2, mapped: 2, unmapped: [], agreement: 1, differences: [], assumed: [] });
  expect([writeTo, overlay].filter((file) => existsSync(file))).toEqual([]);
});

test('lists requests that fit several operations, and --map settles them', async () => {
  const har = toHar({
    method: 'POST',
    path: '/work/acme',
    body: { jobs: [{ id: 'A' }] },
    status: 503,
    result: { message: 'later' },
  });
  const { code, summary } = await run(har);
  expect(code).toBe(0);
  expect(summary).toMatchObject({ mapped: 0, unmapped: [{ method: 'POST', path: '/work/{projectId}', count: 1 }] });
  expect(summary?.unmapped[0]?.candidates).toEqual(expect.arrayContaining(['asyncImportJobs', 'syncCreateJobs']));
  const mapped = await run(har, { map: ['POST /work/{projectId}=asyncImportJobs', 'PUT /nowhere=asyncImportJobs'] });
  expect(mapped.summary).toMatchObject({
    mapped: 1,
    unmapped: [],
    notes: ["--map 'PUT /nowhere=asyncImportJobs' matches no exchange"],
  });
});

test('assumes records that must have existed before, and lists them', async () => {
  const { code, summary } = await run(toHar(updated('OLD'), imported('NEW'), updated('NEW')));
  expect(summary?.assumed).toEqual([{ project: 'acme', collection: 'orders', id: 'OLD' }]);
  expect(code).toBe(0);
});

test('explains rejected keys, although the traffic has none', async () => {
  const rejected = (status: number, code: string, key?: string): Sent => ({
    ...imported('A'),
    ...{ status, key, result: { message: 'no', code, errors: [{ path: 'header', message: 'no' }] } },
  });
  const { summary } = await run(
    toHar(imported('A'), rejected(401, 'missing_key', ''), rejected(401, 'unknown_key'), rejected(403, 'foreign_key')),
  );
  expect(summary).toMatchObject({ agreement: 1, differences: [] });
});
