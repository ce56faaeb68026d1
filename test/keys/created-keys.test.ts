/** Keys that are created at run time: their projects, expiry, deletion and last use, over a store. */
import { describe, expect, test } from 'vitest';
import { type ApiKey, isBound, isByGlob } from '../../src/keys/api-key.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { createKeyStore, type KeyStore, type StoredKey } from '../../src/keys/key-store.ts';
import { createProjectQuota } from '../../src/keys/project-quota.ts';
import { createTestWall } from '../harness/wall.ts';

const startMs = Date.parse('2026-03-02T09:00:00Z');
const at = (ms: number): string => new Date(startMs + ms).toISOString();

function createSubject(texts: readonly string[] = []) {
  const saved: (readonly StoredKey[])[] = [];
  const wall = createTestWall(startMs);
  const store = createKeyStore([], async (keys) => void saved.push(keys));
  const ring = createKeyRing({ texts, wall, store });
  const check = (apikey: string, project: string, host = 'localhost'): string => {
    const found = ring.check({ apikey }, host, project);
    return 'kind' in found ? found.message : 'fine';
  };
  return { ring, wall, saved, check, store };
}

const other = 'this API key is for another project';

describe('a created key', () => {
  test.each([
    ['acme-*', 'acme-1', 'fine'],
    ['acme-*', 'acme-', 'fine'],
    ['acme-*', 'acme', other],
    ['acme-*', 'ACME-1', other],
    ['acme-*', 'other/acme-1', other],
    ['a?', 'ab', 'fine'],
    ['a?', 'abc', other],
    ['acme', 'acme', 'fine'],
    ['*', 'anything', 'fine'],
  ])('for %s, project %s: %s', async (pattern, project, outcome) => {
    const { ring, check } = createSubject();
    const { key } = await ring.create({ projects: [pattern] });
    expect(check(key, project)).toBe(outcome);
  });

  test('of a region is rejected at the host of another', async () => {
    const { ring, check } = createSubject();
    const { key } = await ring.create({ projects: ['p'], region: 'au' });
    expect(check(key, 'p', 'au.localhost')).toBe('fine');
    expect(check(key, 'p', 'eu.localhost')).toContain('is for region au');
  });

  test('is random, and neither the list nor the store has it', async () => {
    const { ring, saved } = createSubject();
    const [one, two] = [await ring.create({ projects: ['p'] }), await ring.create({ projects: ['p'] })];
    expect(one.key).toMatch(/^fsk_[\w-]{43}$/);
    expect(one.key).not.toBe(two.key);
    expect([ring.isKey(one.key), ring.isKey(`${one.key.slice(0, -1)}!`)]).toEqual([true, false]);
    expect(JSON.stringify([ring.list(), saved])).not.toContain(one.key.slice(4));
  });

  test('is bound unless it is for every project', async () => {
    const { ring } = createSubject(['many=p', 'many']);
    const find = (apikey: string): ApiKey => ring.find({ apikey }) as ApiKey;
    const all = await ring.create({ projects: ['p', '*'] });
    const glob = await ring.create({ projects: ['p-*'] });
    expect([all.key, glob.key, 'many'].map((key) => isBound(find(key)))).toEqual([false, true, false]);
  });

  test('is rejected from the moment of its expiry, with that time', async () => {
    const { ring, wall, check } = createSubject();
    const { key, id } = await ring.create({ projects: ['p'], expiresAt: at(60_000) });
    wall.pass(59_999);
    expect(check(key, 'p')).toBe('fine');
    wall.pass(1);
    expect(check(key, 'p')).toBe('this API key expired at 2026-03-02T09:01:00.000Z');
    expect(ring.findById(id)).toBeUndefined();
    expect(ring.list()).toHaveLength(1);
    expect(ring.isKey(key)).toBe(true);
  });

  test('is unknown once it is deleted', async () => {
    const { ring, check } = createSubject();
    const { key, id } = await ring.create({ projects: ['p'] });
    await ring.remove(id);
    expect(check(key, 'p')).toBe('this API key was never issued');
    expect(ring.list()).toEqual([]);
  });

  test('stays valid if its deletion cannot be stored', async () => {
    const failing = createKeyStore([], () => Promise.reject(new Error('ENOSPC')));
    const wall = createTestWall(startMs);
    const stored = { id: 'key_1', digest: 'x', projects: ['p'], createdAt: at(0) };
    const ring = createKeyRing({ texts: [], wall, store: failing, stored: [stored] });
    await expect(ring.remove('key_1')).rejects.toThrow('ENOSPC');
    expect(ring.findById('key_1')).toBeDefined();
  });
});

describe('the last use', () => {
  test('is listed at once, and stored for all requests of a minute together', async () => {
    const { ring, wall, saved, check } = createSubject();
    const { key } = await ring.create({ projects: ['p'] });
    expect(ring.list()[0]).not.toHaveProperty('lastUsedAt');
    for (let n = 0; n < 100; n += 1) {
      check(key, 'p');
      wall.pass(100);
    }
    expect(ring.list()[0]?.lastUsedAt).toBe(at(9900));
    expect(saved).toHaveLength(1);
    wall.pass(60_000);
    await ring.close();
    expect(saved).toHaveLength(2);
    expect(saved[1]?.[0]?.lastUsedAt).toBe(at(9900));
  });

  test('is stored at the close, only if there was one', async () => {
    const { ring, saved, check } = createSubject();
    const { key } = await ring.create({ projects: ['p'] });
    await ring.close();
    expect(saved).toHaveLength(1);
    check(key, 'p');
    await ring.close();
    expect(saved).toHaveLength(2);
  });
});

describe('the listener of a key', () => {
  async function follow(expiresAt?: string) {
    const subject = createSubject();
    const { id } = await subject.ring.create({ projects: ['p'], ...(expiresAt !== undefined && { expiresAt }) });
    let ends = 0;
    const stop = subject.ring.onEnd(id, () => {
      ends += 1;
    });
    return { ...subject, id, stop, ends: () => ends };
  }

  test('is called once at the deletion, and not by other changes', async () => {
    const { ring, id, ends } = await follow();
    const { id: otherId } = await ring.create({ projects: ['q'] });
    await ring.remove(otherId);
    expect(ends()).toBe(0);
    await ring.remove(id);
    await ring.create({ projects: ['q'] });
    expect(ends()).toBe(1);
  });

  test('is called at the expiry, after other changes too', async () => {
    const { ring, wall, ends } = await follow(at(90 * 86_400_000));
    await ring.create({ projects: ['q'] });
    wall.pass(90 * 86_400_000 - 1);
    expect(ends()).toBe(0);
    wall.pass(1);
    expect(ends()).toBe(1);
    expect(wall.timers()).toEqual([]);
  });

  test('is not called after it was removed, and leaves no timer', async () => {
    const { ring, id, wall, stop, ends } = await follow(at(1000));
    stop();
    expect(wall.timers()).toEqual([]);
    await ring.remove(id);
    expect(ends()).toBe(0);
  });

  test('is called soon if the key has ended before', async () => {
    const { ring } = createSubject();
    let ends = 0;
    ring.onEnd('key_1', () => {
      ends += 1;
    });
    expect(ends).toBe(0);
    await Promise.resolve();
    expect(ends).toBe(1);
  });

  test('is called when another server has deleted the key', async () => {
    let announce: (keys: readonly StoredKey[]) => void = () => undefined;
    const store: KeyStore = {
      ...createKeyStore(),
      onChange: (listener) => {
        announce = listener;
      },
    };
    const stored = { id: 'key_1', digest: 'x', projects: ['p'], createdAt: at(0) };
    const ring = createKeyRing({ texts: [], wall: createTestWall(startMs), store, stored: [stored] });
    let ends = 0;
    ring.onEnd('key_1', () => {
      ends += 1;
    });
    announce([stored]);
    expect(ends).toBe(0);
    announce([]);
    expect([ends, ring.list()]).toEqual([1, []]);
  });
});

test('changes at the same time are made one after the other', async () => {
  const { ring, store } = createSubject();
  await Promise.all([1, 2, 3].map((n) => ring.create({ projects: [`p-${n}`] })));
  expect((await store.load()).flatMap(({ projects }) => projects)).toEqual(['p-1', 'p-2', 'p-3']);
  expect(ring.list()).toHaveLength(3);
});

describe('the quota of projects', () => {
  const existing = new Set(['acme', 'acme-1', 'acme-2', 'other-1']);
  const quota = createProjectQuota({ has: (id) => existing.has(id), ids: () => existing }, 2);

  async function check(key: Parameters<ReturnType<typeof createSubject>['ring']['create']>[0], project: string) {
    const { ring } = createSubject();
    const created = await ring.create(key);
    return quota(ring.find({ apikey: created.key }) as ApiKey, project)?.message ?? 'fine';
  }

  test.each([
    ['acme-3', '"limits.key.projects" is 2: 2 projects of this key exist already'],
    ['acme-1', 'fine'],
    ['acme', 'fine'],
    ['beta', 'fine'],
    ['other-2', 'fine'],
  ])('counts existing projects that only a pattern names: %s', async (project, message) => {
    const key = { projects: ['acme', 'beta', 'acme-*', 'acm?'] };
    expect(await check(project === 'other-2' ? { projects: ['other-*'] } : key, project)).toContain(message);
  });

  test('can be that of the key', async () => {
    expect(await check({ projects: ['acme-*'], limits: { projects: 3 } }, 'acme-3')).toBe('fine');
    expect(await check({ projects: ['acme-*'], limits: { projects: 1 } }, 'acme-3')).toContain(
      '"limits.projects" of this API key is 1',
    );
  });

  test('tells exact names from patterns', async () => {
    const { ring } = createSubject();
    const { key } = await ring.create({ projects: ['acme', 'acme*'] });
    const found = ring.find({ apikey: key }) as ApiKey;
    expect(['acme', 'acme2', 'other'].map((project) => isByGlob(found, project))).toEqual([false, true, false]);
  });
});
