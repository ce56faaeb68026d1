/** Where a request runs, and whether it runs again, when its project moves meanwhile. */
import { expect, test } from 'vitest';
import { type Call, Dispatch } from '../../src/cluster/dispatch.ts';
import type { Sent } from '../../src/cluster/transport/peer-client.ts';
import type { Reply } from '../../src/http/reply.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';
import { createTestWall } from '../harness/wall.ts';

const done: Reply = { status: 200, headers: {}, body: 'done' };
const read = { about: 'api', project: 'p', isRead: true } as const;
const change = { about: 'control', project: 'p', isRead: false } as const;
const replica = { id: 'other', url: 'http://other' };

interface World {
  /** Where this replica finds the project, and where after it has forgotten that. The last place stays. */
  readonly places: ('here' | 'there')[];
  readonly sent?: readonly Sent[];
  readonly claim?: ReturnType<typeof toClaim>;
  /** Whether the project is still being loaded. */
  readonly isArriving?: boolean;
  /** Projects that were asked for. */
  readonly wanted?: string[];
  /** Whether a silent replica can be fenced. By default it can. */
  readonly isFencing?: boolean;
}

const toClaim = () => ({ epoch: 7, isLost: false, isTaken: false, changeCount: 0 });

function create(world: World) {
  const { places, sent = [], claim = toClaim() } = world;
  const wall = createTestWall();
  const heads: unknown[] = [];
  const tidied: string[] = [];
  const results = [...sent];
  let isArriving = world.isArriving === true;
  const dispatch = new Dispatch({
    membership: {
      verify: async () => undefined,
      fenceUnreachable: async () => world.isFencing !== false,
    },
    claims: {
      locate: async () => {
        const [at = 'here'] = places;
        isArriving = false;
        return at === 'here' ? undefined : { replica, epoch: 7 };
      },
      forget: () => void (places.length > 1 && places.shift()),
      want: async (project) => void world.wanted?.push(project),
    },
    store: {
      claimOf: () => (isArriving ? undefined : claim),
      release: (project) => void tidied.push(project),
    },
    client: {
      send: async (_url, head) => {
        heads.push(head);
        return results.shift() ?? { kind: 'reply', reply: done };
      },
    },
    // No test waits for real time.
    wall: { ...wall, after: (ms, run) => void setImmediate(() => [wall.pass(ms), run()]) as never },
  });
  return { dispatch, heads, tidied };
}

function toCall(results: (Reply | Error)[]): Call & { runs(): number } {
  let runs = 0;
  return {
    head: { about: 'api', project: 'p', isRead: false },
    here: async () => {
      runs += 1;
      const result = results.shift() ?? done;
      if (result instanceof Error) throw result;
      return result;
    },
    runs: () => runs,
  };
}

test('a request of the API whose project was lost runs again: nothing of it is stored', async () => {
  const { dispatch } = create({ places: ['here'] });
  const call = toCall([new ProjectLost('p')]);
  expect(await dispatch.run(call)).toEqual({ reply: done });
  expect(call.runs()).toBe(2);
});

test.each([
  ['nothing was stored', 0, { reply: done }],
  [
    'something was stored',
    1,
    { problem: { kind: 'unconfirmed', message: expect.stringContaining('may have been applied') } },
  ],
])('a change through the control API that breaks off when its project is lost: %s', async (_, changes, expected) => {
  const claim = toClaim();
  const { dispatch } = create({ places: ['here'], claim });
  const call = toCall([new ProjectLost('p')]);
  const here = (): Promise<Reply> => {
    claim.changeCount += changes;
    return call.here() as Promise<Reply>;
  };
  expect(await dispatch.run({ ...call, head: change, here })).toMatchObject(expected);
});

test.each(['not-owner', 'unreachable'] as const)('a request that had no effect (%s) is sent again', async (kind) => {
  const { dispatch, heads } = create({ places: ['there'], sent: [{ kind }] });
  expect(await dispatch.run(toCall([]))).toMatchObject({ reply: done });
  expect(heads).toEqual([
    { about: 'api', project: 'p', isRead: false, epoch: 7 },
    { about: 'api', project: 'p', isRead: false, epoch: 7 },
  ]);
});

test('a request whose client has left is not forwarded again', async () => {
  const { dispatch, heads } = create({ places: ['there'], sent: [{ kind: 'broken' }] });
  const call = { ...toCall([]), head: read, signal: AbortSignal.abort() };
  expect(await dispatch.run(call)).toMatchObject({ problem: { kind: 'unavailable' } });
  expect(heads).toHaveLength(1);
});

test.each([
  { changes: 0, status: 200, isTaken: true, runs: 2, answer: { reply: done } },
  { changes: 1, status: 200, isTaken: true, runs: 1, answer: { problem: { kind: 'unconfirmed' } } },
  { changes: 1, status: 200, isTaken: false, runs: 1, answer: { reply: { body: 'old' } } },
  { changes: 1, status: 409, isTaken: true, runs: 2, answer: { reply: done } },
])('a change through the control API whose project is lost is answered if it is stored: %j', async (given) => {
  const claim = toClaim();
  const { dispatch } = create({ places: ['here'], claim });
  const call = toCall([{ status: given.status, headers: {}, body: 'old' }]);
  const here = (): Promise<Reply> => {
    claim.changeCount += given.changes;
    claim.isLost = call.runs() === 0;
    claim.isTaken = claim.isLost && given.isTaken;
    return call.here() as Promise<Reply>;
  };
  expect(await dispatch.run({ ...call, head: change, here })).toMatchObject(given.answer);
  expect(call.runs()).toBe(given.runs);
});

test('a client that leaves takes no project from its owner', async () => {
  const wanted: string[] = [];
  const { dispatch } = create({ places: ['there'], sent: [{ kind: 'broken' }], isFencing: false, wanted });
  await dispatch.run({ ...toCall([]), signal: AbortSignal.abort() });
  expect(wanted).toEqual([]);
});

test('a project that does not exist is given up only when no request waits for it', async () => {
  const { dispatch, tidied } = create({ places: ['here'] });
  let exists = (_reply: Reply): void => undefined;
  const waiting = dispatch.run({
    ...toCall([]),
    head: read,
    here: () =>
      new Promise((resolve) => {
        exists = resolve;
      }),
  });
  await dispatch.run(toCall([]));
  expect(tidied).toEqual([]);
  exists(done);
  await waiting;
  expect(tidied).toEqual(['p']);
});

test('a read is run again if the project was lost meanwhile, not if it was reset', async () => {
  const claim = toClaim();
  const { dispatch } = create({ places: ['here'], claim });
  const toRead = (endsAs: boolean) => {
    const call = toCall([]);
    const here = async (): Promise<Reply> => {
      claim.isLost = endsAs && call.runs() === 0;
      return call.here();
    };
    return { ...call, head: { ...change, isRead: true }, here };
  };
  const lost = toRead(true);
  await dispatch.run(lost);
  expect(lost.runs()).toBe(2);
  const reset = toRead(false);
  await dispatch.run(reset);
  expect(reset.runs()).toBe(1);
});

test('a forwarded request is run although this replica remembers an owner that has given the project up', async () => {
  const { dispatch } = create({ places: ['there', 'here'] });
  const call = toCall([]);
  expect(await dispatch.runForwarded(call, undefined)).toBe(done);
});

test('a forwarded request that arrives under another claim than its sender found is not run', async () => {
  const { dispatch } = create({ places: ['here'] });
  const call = toCall([]);
  await expect(dispatch.runForwarded(call, 6)).rejects.toThrow(ProjectLost);
  expect(await dispatch.runForwarded(call, 7)).toBe(done);
  expect(call.runs()).toBe(1);
});

test('a forwarded request waits until its project, which was just claimed, is loaded', async () => {
  const { dispatch } = create({ places: ['here'], isArriving: true });
  expect(await dispatch.runForwarded(toCall([]), 7)).toBe(done);
});
