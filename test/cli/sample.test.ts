import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runSample } from '../../src/cli/sample.ts';
import { readProfile } from '../../src/config/config-files.ts';
import { createContract } from '../../src/openapi/contract.ts';
import type { RoutedOperation } from '../../src/openapi/router.ts';
import { sampleBody } from '../../src/samples/sample.ts';
import { createIo, runCommand } from '../harness/cli.ts';
import { writeProfile } from '../harness/profile.ts';

function run(operation: string, count = '1', seed = 'x', where: Readonly<Record<string, string>> = {}) {
  const options = Object.entries({ count, seed, ...where }).flatMap(([name, value]) => [`--${name}`, value]);
  return runCommand(['sample', operation, ...options]);
}

test('adds the identifiers that a profile places in the body', async () => {
  const profile = writeProfile({ identifiers: { projectId: 'body', subProjectId: 'body', username: 'body' } });
  const printed = async (operation: string, count?: string) =>
    JSON.parse((await run(operation, count, 'x', { profile, project: 'acme' })).out);
  expect(Object.keys(await printed('updateUser')).slice(0, 2)).toEqual(['projectId', 'username']);
  const list = await printed('asyncImportJobsInSubproject', '1001');
  expect(list).toMatchObject({ projectId: 'acme', subProjectId: 'furniture' });
  expect(list.jobs).toHaveLength(1001);
});

describe('an overlay', () => {
  const fitted = async (operation: string, actions: readonly object[], changes: object = {}, count = '20') => {
    const profile = writeProfile({ overlays: ['it.overlay.yaml'], ...changes });
    const overlay = { overlay: '1.0.0', info: { title: 'it', version: '1' }, actions };
    writeFileSync(path.join(path.dirname(profile), 'it.overlay.yaml'), JSON.stringify(overlay));
    const result = await run(operation, count, 'x', { profile, project: 'acme' });
    if (result.code !== 0) return result;
    const { document } = await readProfile(profile);
    const contract = createContract(document);
    const shape = { params: { projectId: 'acme' }, query: {}, body: JSON.parse(result.out) };
    const validated = contract.operations.get(operation) as RoutedOperation;
    expect(contract.validate(validated, shape, { list: undefined, strict: true, depth: 100 }).violations).toEqual([]);
    return { ...result, body: shape.body };
  };
  const job = '$.components.schemas.JobCreate';

  test('that removes, narrows and requires fields changes samples', async () => {
    const { body } = (await fitted('asyncImportJobs', [
      { target: `${job}.properties.address`, remove: true },
      { target: '$.components.schemas.JobStatus.enum', remove: true },
      { target: '$.components.schemas.JobStatus', update: { enum: ['DISPATCH'] } },
      { target: '$.components.schemas.Customer.properties.firstName', update: { maxLength: 1 } },
      { target: `${job}.properties`, update: { floor: { type: 'integer', examples: [7] } } },
      { target: `${job}.required`, update: ['floor'] },
    ])) as { body: { jobs: Record<string, unknown>[] } };
    expect(body.jobs).toHaveLength(20);
    for (const one of body.jobs) {
      expect(one).toMatchObject({ floor: 7 });
      expect(one).not.toHaveProperty('address');
    }
  });

  test('whose required field has no example is reported', async () => {
    const actions = [
      { target: `${job}.properties`, update: { floor: { type: 'integer' } } },
      { target: `${job}.required`, update: ['floor'] },
    ];
    const result = await fitted('asyncImportJobs', actions, { identifiers: { projectId: 'body' } });
    expect(result).toEqual({
      code: 2,
      out: '',
      err: 'cannot create a valid body of asyncImportJobs with this profile: /jobs/0/floor: required, but missing. Give this field an example, a default or an enum in an overlay, or write the body by hand\n',
    });
  });

  test('that a required field cannot fit is reported', async () => {
    const actions = [
      { target: '$.components.schemas.JobCreate.properties.id', update: { pattern: '^never$', examples: [] } },
    ];
    expect(await fitted('asyncImportJobs', actions)).toMatchObject({
      code: 2,
      err: expect.stringContaining('/jobs/0/id: '),
    });
  });
});

test('prints one entry per line above 1,000 entries', async () => {
  const { out } = await run('syncCreateJobs', '1001', 'x');
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
