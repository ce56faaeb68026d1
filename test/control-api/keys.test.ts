/** The maximum number of keys that are created at run time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { toKeyText } from '../../src/project/persistence/key-file.ts';
import { useSandbox } from '../harness/sandbox.ts';

const data = mkdtempSync(path.join(tmpdir(), 'field-sandbox-many-keys-'));
afterAll(() => rmSync(data, { recursive: true }));

const createdAt = '2026-03-02T09:00:00.000Z';
const keys = Array.from({ length: 9999 }, (_, n) => {
  const digest = Buffer.alloc(32);
  digest.writeUInt32LE(n);
  return { id: `key_${n}`, digest: digest.toString('base64'), projects: ['p'], createdAt };
});
writeFileSync(path.join(data, '.keys'), toKeyText(keys));

const sandbox = useSandbox({ data, adminToken: 'token' });

test('at most 10,000 keys are stored', async () => {
  const admin = { authorization: 'Bearer token' };
  const create = () => sandbox.control('POST', '/keys', { projects: ['p'] }, admin);
  expect((await create()).status).toBe(201);
  expect(await create()).toMatchObject({ status: 409, body: { message: expect.stringContaining('10,000 keys') } });
  expect((await sandbox.control('DELETE', '/keys/key_0', undefined, admin)).status).toBe(204);
  expect((await create()).status).toBe(201);
});
