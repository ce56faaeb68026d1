/** API keys: what is stored of them, their quota, and the option. config/options.txt has its mistakes, flows what a key opens. */
import { expect, test } from 'vitest';
import { parseKey } from '../../src/config/keys.ts';
import type { ApiKey } from '../../src/keys/api-key.ts';
import { KeyRing } from '../../src/keys/key-ring.ts';
import { createKeyStore, type StoredKey } from '../../src/keys/key-store.ts';
import { createProjectQuota } from '../../src/keys/project-quota.ts';
import { createTestWall } from '../harness/wall.ts';

test('a created key is random, and neither the list nor the store has it', async () => {
  const saved: (readonly StoredKey[])[] = [];
  const store = createKeyStore([], async (list) => void saved.push(list));
  const ring = new KeyRing({ texts: [], wall: createTestWall(), store });
  const [one, two] = [await ring.create({ projects: ['p'] }), await ring.create({ projects: ['p'] })];
  expect(one.key).toMatch(/^fsk_[\w-]{43}$/);
  expect(one.key).not.toBe(two.key);
  expect(JSON.stringify([ring.list(), saved])).not.toContain(one.key.slice(4));
});

test.each([
  ['acme-3', true],
  ['acme-1', false],
  ['acme', false],
  ['beta', false],
])('only existing projects that a pattern names count against its quota: %s', async (project, isFull) => {
  const ring = new KeyRing({ texts: [], wall: createTestWall() });
  const existing = new Set(['acme', 'acme-1', 'acme-2', 'other-1']);
  const check = (max: number) => createProjectQuota({ has: (id) => existing.has(id), ids: () => existing }, max, false);
  const { key } = await ring.create({ projects: ['acme', 'beta', 'acme-*', 'acm?'] });
  const found = ring.find({ apikey: key }) as ApiKey;
  expect([check(2), check(3)].map((quota) => quota(found, project) !== undefined)).toEqual([isFull, false]);
});

test.each<[string, object]>([
  ['k', { key: 'k' }],
  ['k@au', { key: 'k', region: 'au' }],
  ['k@us=p,q,', { key: 'k', region: 'us', projects: ['p', 'q'] }],
  ['k=p=q', { key: 'k', projects: ['p=q'] }],
  ['k=a@b', { key: 'k', projects: ['a@b'] }],
])('the option %s', (text, parsed) => {
  expect(parseKey(text)).toEqual(parsed);
});
