/** A wait for items ends with its project. */
import { expect, test } from 'vitest';
import { awaitEnough } from '../../src/control-api/lists/awaiting.ts';
import { createTestWall } from '../harness/wall.ts';

test('a project that leaves this server is not counted once more, which would load it again', async () => {
  let reset = (_project: string): void => undefined;
  const on = (_kind: 'reset', listener: typeof reset) => {
    reset = listener;
    return () => undefined;
  };
  const waiting = { check: () => undefined, take: () => () => undefined };
  const parts = { projects: { on }, wall: createTestWall(0), admission: { waiting } };
  const request = { params: { projectId: 'p' }, query: { await: '1m' }, caller: {} };
  let counts = 0;
  const count = () => {
    counts += 1;
    return 0;
  };
  const waited = awaitEnough(parts as never, request as never, { count, subscribe: () => () => undefined });
  reset('other');
  reset('p');
  expect(await waited).toEqual({ satisfied: false });
  expect(counts).toBe(1);
});
