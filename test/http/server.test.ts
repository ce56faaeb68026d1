/** A response that can't be written ends its connection, and nothing else. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createApiReplies } from '../../src/http/api-replies.ts';
import type { Reply } from '../../src/http/reply.ts';
import { createApiServer } from '../../src/http/server.ts';
import type { Problem } from '../../src/lib/problem.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';

const rejectMalformed = (_request: unknown, problem: Problem) => apiReplies.problem(problem);
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const apiReplies = createApiReplies(shippedProfile, {}, () => false);

test('a response that Node rejects is logged as a bug, and the next request gets a response', async () => {
  const bugs: unknown[] = [];
  const replies: Reply[] = [
    { status: 200, headers: { 'x-bad': 'two\nlines' }, body: '{}' },
    { status: 200, headers: {}, body: 'well' },
  ];
  const answer = () => Promise.resolve(replies.shift() as Reply);
  const logError = (error: unknown): string => `bug-${bugs.push(error)}`;
  const parts = {
    api: answer,
    control: answer,
    rejectMalformed,
    replies: apiReplies,
    mapTiles: undefined,
    onLoopback: false,
  };
  const server = createApiServer({ ...parts, wall: createWallClock(), logError });
  ends.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jobs`;
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  expect(bugs).toHaveLength(1);
  expect(await (await fetch(url)).text()).toBe('well');
});
