/** Creating keys: their maximum number, and a disk that does not store them. */
import { expect, test } from 'vitest';
import type { ControlParts, ControlRequest } from '../../src/control-api/handler.ts';
import { keyHandlers } from '../../src/control-api/keys.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { createKeyStore, type StoredKey } from '../../src/keys/key-store.ts';
import { createTestWall } from '../harness/wall.ts';

const createdAt = '2026-03-02T09:00:00.000Z';
const stored = (n: number): StoredKey => ({ id: `key_${n}`, digest: `digest-${n}`, projects: ['p'], createdAt });
const request = { body: { projects: ['p'] }, params: { id: 'key_0' } } as unknown as ControlRequest;

function createParts(count: number, save?: () => Promise<void>) {
  const wall = createTestWall();
  const list = Array.from({ length: count }, (_, n) => stored(n));
  const keys = createKeyRing({ texts: [], wall, store: createKeyStore(list, save), stored: list });
  const logged: unknown[] = [];
  const parts = {
    keys,
    wall,
    createRequestId: () => 'req_1',
    logUnsaved: (_id: string, error: unknown) => logged.push(error),
  };
  return { keys, logged, parts: parts as unknown as ControlParts };
}

test('at most 10,000 keys are stored', async () => {
  const { parts, keys } = createParts(9999);
  expect(await keyHandlers.createKey(parts, request)).toMatchObject({ status: 201 });
  expect(await keyHandlers.createKey(parts, request)).toEqual({
    problem: {
      kind: 'conflict',
      message: 'the server stores at most 10,000 keys: DELETE keys that are no longer needed',
    },
  });
  expect(keys.list()).toHaveLength(10_000);
});

test.each(['createKey', 'deleteKey'] as const)(
  '%s that cannot be stored changes nothing, and the log has the reason',
  async (id) => {
    const { parts, keys, logged } = createParts(1, () => Promise.reject(new Error('ENOSPC')));
    expect(await keyHandlers[id](parts, request)).toMatchObject({ problem: { kind: 'internal' } });
    expect(keys.list()).toEqual([stored(0)]);
    expect(logged).toEqual([new Error('ENOSPC')]);
  },
);
