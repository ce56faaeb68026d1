/** `sample` with many entries; golden/sample.txt has the rest. */
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { runSample } from '../../src/cli/sample.ts';
import { sampleBody } from '../../src/samples/sample.ts';
import { createIo, runCommand } from '../harness/cli.ts';
import { writeProfile } from '../harness/profile.ts';

test('a long list has the identifiers that a profile places in the body', async () => {
  const profile = writeProfile({ identifiers: { projectId: 'body', subProjectId: 'body' } });
  const where = ['--count', '1001', '--profile', profile, '--project', 'acme'];
  const { out } = await runCommand(['sample', 'asyncImportJobsInSubproject', ...where]);
  const list = JSON.parse(out);
  expect(list).toMatchObject({ projectId: 'acme', subProjectId: 'furniture' });
  expect(list.jobs).toHaveLength(1001);
});

test('prints one entry per line above 1,000 entries', async () => {
  const { out } = await runCommand(['sample', 'syncCreateJobs', '--count', '1001', '--seed', 'x']);
  expect(JSON.parse(out)).toEqual(await sampleBody('syncCreateJobs', { count: 1001, seed: 'x' }));
  expect(out.split('\n')).toHaveLength(1004);
  expect(out.endsWith('}\n]}\n')).toBe(true);
});

test('creates entries as the reader consumes them; a closed reader is not a failure', async () => {
  let isAsked = false;
  const reader = new Writable({
    write: () => {
      isAsked = true;
    },
  });
  const done = runSample({ operation: 'asyncImportJobs', count: '10000' }, { ...createIo(), stdout: reader });
  await expect.poll(() => isAsked).toBe(true);
  await new Promise((turn) => setImmediate(turn));
  // Of some 14 MB.
  expect(reader.writableLength).toBeLessThan(100_000);
  reader.destroy(Object.assign(new Error('write EPIPE'), { syscall: 'write', code: 'EPIPE' }));
  expect(await done).toBe(0);
});

test('a closed reader of the list of operations is not a failure', async () => {
  const reader = new Writable();
  reader.on('error', () => undefined).destroy(new Error('write EPIPE'));
  expect(await runSample({ operation: undefined, list: true }, { stdout: reader })).toBe(0);
});
