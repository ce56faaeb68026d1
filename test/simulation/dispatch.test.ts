/** Where a request runs, and whether it runs again, when its project moves meanwhile. */
import { expect, test } from 'vitest';
import { type Call, createDispatch } from '../../src/cluster/dispatch.ts';
import { Fenced } from '../../src/cluster/membership.ts';
import { createOwnedStore, type OwnedStore } from '../../src/cluster/store/owned-store.ts';
import type { Sent } from '../../src/cluster/transport/peer-client.ts';
import type { Reply } from '../../src/http/reply.ts';
import { createKeyStore } from '../../src/keys/key-store.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';
import { createTestWall } from '../harness/wall.ts';

const done: Reply = { status: 200, headers: {}, body: 'done' };
const replica = { id: 'other', url: 'http://other' };
const third = { id: 'third', url: 'http://third' };

interface World {
  /** Where the project is at each search. The last place stays. */
  readonly places: ('here' | 'there' | 'elsewhere')[];
  readonly storedTokens?: readonly string[];
  readonly sent?: readonly Sent[];
  readonly claim?: { isLost: boolean };
  /** Whether the project is lost while the first request runs. */
  readonly losesFirst?: boolean;
  /** Whether the project is still being loaded. */
  readonly isArriving?: boolean;
  /** Whether the project has the effect of a request. By default it has none. */
  readonly hasToken?: OwnedStore['hasToken'];
  /** Whether this replica is fenced at this moment. By default it is not. */
  readonly isFenced?: () => boolean;
  /** Whether a silent replica can be fenced. By default it can. */
  readonly isFencing?: boolean;
}

function create(world: World) {
  const { places, storedTokens = [], sent = [], claim = { isLost: false }, losesFirst = false } = world;
  const wall = createTestWall();
  const heads: unknown[] = [];
  const tidied: string[] = [];
  const results = [...sent];
  let claims = 0;
  let epoch = world.isArriving ? undefined : 7;
  const dispatch = createDispatch({
    database: { hasToken: async (_project, token) => storedTokens.includes(token) },
    membership: {
      verify: async () => {
        if (world.isFenced?.()) throw new Fenced();
      },
      fenceUnreachable: async () => world.isFencing !== false,
    },
    placement: {
      locate: async () => {
        const at = (places.length > 1 ? places.shift() : places[0]) ?? 'here';
        return at === 'here' ? { at } : { at: 'there', replica: at === 'there' ? replica : third, epoch: 7 };
      },
      arrived: async () => {
        epoch = 7;
      },
      mistrust: () => undefined,
      giveUp: () => undefined,
      handOver: async () => undefined,
      leave: () => undefined,
      want: async () => undefined,
      settled: async () => undefined,
    },
    store: {
      claimOf: () => (losesFirst && claims++ === 0 ? { isLost: true } : claim),
      epochOf: () => epoch,
      tidy: (project) => void tidied.push(project),
      hasToken: world.hasToken ?? (() => false),
    },
    client: {
      send: async (_url, _kind, head) => {
        heads.push(head);
        return results.shift() ?? { kind: 'reply', reply: done };
      },
    },
    // No test waits for real time.
    wall: { ...wall, after: (ms, run) => void setImmediate(() => [wall.pass(ms), run()]) as never },
    createToken: () => 'token',
  });
  return { dispatch, heads, tidied };
}

function toCall(results: (Reply | Error)[]): Call & { runs(): number } {
  let runs = 0;
  return {
    ...{ kind: 'api', project: 'p', creates: true, isRead: false, head: {}, text: '' },
    here: async () => {
      runs += 1;
      const result = results.shift() ?? done;
      if (result instanceof Error) throw result;
      return result;
    },
    runs: () => runs,
  };
}

test('a request whose project was lost runs again if its effect was not stored', async () => {
  const { dispatch } = create({ places: ['here'] });
  const call = toCall([new ProjectLost('p')]);
  expect(await dispatch.run(call)).toEqual({ reply: done });
  expect(call.runs()).toBe(2);
});

test('a request whose project was lost does not run again if its effect was stored', async () => {
  const { dispatch } = create({ places: ['here'], storedTokens: ['token'] });
  const call = toCall([new ProjectLost('p')]);
  expect(await dispatch.run(call)).toMatchObject({ problem: { kind: 'unconfirmed' } });
  expect(call.runs()).toBe(1);
});

test('the next owner is told that the effect of a request may be stored', async () => {
  const lost = create({ places: ['here', 'there'], sent: [{ kind: 'applied' }] });
  expect(await lost.dispatch.run(toCall([new ProjectLost('p')]))).toMatchObject({ problem: { kind: 'unconfirmed' } });
  expect(lost.heads).toEqual([{ token: 'token', mayBeApplied: true, epoch: 7 }]);
  const moved = create({ places: ['there'], sent: [{ kind: 'not-owner' }] });
  expect(await moved.dispatch.run(toCall([]))).toMatchObject({ reply: done });
  expect(moved.heads).toMatchObject([{ mayBeApplied: false }, { mayBeApplied: true }]);
});

test('a forwarded request runs unless its effect was stored by an earlier owner', async () => {
  const { dispatch } = create({ places: ['here'], storedTokens: ['token'] });
  const call = toCall([]);
  expect(await dispatch.runForwarded(call, { token: 'token', mayBeApplied: true })).toBe('applied');
  expect(await dispatch.runForwarded(call, { token: 'other', mayBeApplied: true })).toBe(done);
  expect(call.runs()).toBe(1);
});

test('a request whose connection broke waits until its owner has lost the project', async () => {
  const { dispatch, heads } = create({ places: ['there', 'there', 'here'], sent: [{ kind: 'broken' }] });
  const call = toCall([]);
  expect(await dispatch.run(call)).toEqual({ reply: done });
  expect([heads.length, call.runs()]).toEqual([1, 1]);
});

test('a request whose connection broke runs at the next owner, which looks for its effect', async () => {
  const { dispatch, heads } = create({ places: ['there', 'there', 'elsewhere'], sent: [{ kind: 'broken' }] });
  expect(await dispatch.run(toCall([]))).toMatchObject({ reply: done });
  expect(heads).toEqual([
    { token: 'token', mayBeApplied: false, epoch: 7 },
    { token: 'token', mayBeApplied: true, epoch: 7 },
  ]);
});

test('a request whose client has left is not forwarded again', async () => {
  const { dispatch, heads } = create({ places: ['there'], sent: [{ kind: 'broken' }] });
  const call = { ...toCall([]), isRead: true, signal: AbortSignal.abort() };
  expect(await dispatch.run(call)).toMatchObject({ problem: { kind: 'unavailable' } });
  expect(heads).toHaveLength(1);
});

test.each([
  [[], 2],
  [['token'], 1],
])(
  'a change through the control API whose project is lost meanwhile is answered if it is stored: %j',
  async (storedTokens, runs) => {
    const { dispatch } = create({ places: ['here'], losesFirst: true, storedTokens });
    const call = { ...toCall([{ status: 409, headers: {}, body: 'old' }]), kind: 'control' as const };
    await dispatch.run(call);
    expect(call.runs()).toBe(runs);
  },
);

test('a project that does not exist is given up only when no request waits for it', async () => {
  const { dispatch, tidied } = create({ places: ['here'] });
  let exists = (_reply: Reply): void => undefined;
  const waiting = dispatch.run({
    ...toCall([]),
    isRead: true,
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
  const claim = { isLost: false };
  const { dispatch } = create({ places: ['here'], claim });
  const read = (endsAs: boolean) => {
    const call = toCall([]);
    const here = async (): Promise<Reply> => {
      claim.isLost = endsAs && call.runs() === 0;
      return call.here(undefined);
    };
    return { ...call, kind: 'control' as const, isRead: true, creates: false, here };
  };
  const lost = read(true);
  await dispatch.run(lost);
  expect(lost.runs()).toBe(2);
  const reset = read(false);
  await dispatch.run(reset);
  expect(reset.runs()).toBe(1);
});

test('a forwarded request is run although this replica remembers an owner that has given the project up', async () => {
  const { dispatch } = create({ places: ['there', 'here'] });
  const call = toCall([]);
  expect(await dispatch.runForwarded(call, { token: 'token', mayBeApplied: false })).toBe(done);
});

test('a forwarded request that arrives under another claim than its sender found is not run', async () => {
  const { dispatch } = create({ places: ['here'] });
  const call = toCall([]);
  const sending = { token: 'token', mayBeApplied: false };
  await expect(dispatch.runForwarded(call, { ...sending, epoch: 6 })).rejects.toThrow(ProjectLost);
  expect(await dispatch.runForwarded(call, { ...sending, epoch: 7 })).toBe(done);
  expect(call.runs()).toBe(1);
});

test('a forwarded request waits until its project, which was just claimed, is loaded', async () => {
  const { dispatch } = create({ places: ['here'], isArriving: true });
  expect(await dispatch.runForwarded(toCall([]), { token: 'token', mayBeApplied: false, epoch: 7 })).toBe(done);
});

test('a forwarded request that arrives after its sender has run it elsewhere is not run again', async () => {
  const wall = createTestWall();
  const database = { write: async () => new Set<string>(), findSeq: async () => undefined };
  const ignored = { warn: () => undefined, onLost: () => undefined, onReset: () => undefined, onIdle: () => undefined };
  const store = createOwnedStore({ database, keys: createKeyStore(), endpoint: undefined, wall, ...ignored });
  await store.admit('p', { owner: 'me', epoch: 7, seq: 0, ordinal: 0, lines: [] });
  store.addToken('p', 'stored');
  const { dispatch } = create({ places: ['here'], hasToken: store.hasToken });
  const call = toCall([]);
  const send = (token: string) => dispatch.runForwarded(call, { token, mayBeApplied: false });
  await expect(send('stored')).rejects.toThrow(ProjectLost);
  expect(await send('new')).toBe(done);
  expect(call.runs()).toBe(1);
});

test('what a fenced replica has read is not answered', async () => {
  const call = { ...toCall([]), kind: 'control' as const, isRead: true };
  const { dispatch } = create({ places: ['here'], isFenced: () => call.runs() < 3 });
  expect(await dispatch.run(call)).toEqual({ reply: done });
  expect(call.runs()).toBe(3);
});

test.each([
  [false, /cannot find out .* applied, .* database/],
  [true, /database, and the request was not applied/],
])(
  'a request that a replica without its database may have applied is answered as such: read %s',
  async (isRead, text) => {
    const sent = Array.from({ length: 1000 }, () => ({ kind: 'unavailable' }) as const);
    const { dispatch } = create({ places: ['there'], sent, isFencing: false });
    expect(await dispatch.run({ ...toCall([]), isRead })).toMatchObject({
      problem: { kind: 'unavailable', message: expect.stringMatching(text) },
    });
  },
);
