/** Requests that are run again: only if they had no effect before. */
import { expect, test } from 'vitest';
import { type Call, createDispatch } from '../../src/cluster/dispatch.ts';
import { Fenced } from '../../src/cluster/membership.ts';
import type { Placement } from '../../src/cluster/placement.ts';
import type { Sent } from '../../src/cluster/transport/peer-client.ts';
import type { Reply } from '../../src/http/reply.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';
import { createTestWall } from '../harness/wall.ts';

const created: Reply = { status: 201, headers: {}, body: undefined };
const other = { id: 'B', url: 'http://b' };
const claim = { isLost: false };

/** Creates a dispatch at a replica. `tokens`: those in the project's log. `sent`: what the other replica answers. */
function create(parts: { at: 'here' | 'there'; tokens?: readonly string[]; sent?: Sent; isFenced?: () => boolean }) {
  const wall = createTestWall();
  const location = parts.at === 'here' ? { at: parts.at } : { at: parts.at, replica: other, epoch: undefined };
  const placement: Pick<Placement, 'locate' | 'arrived' | 'mistrust' | 'want'> = {
    locate: async () => location,
    arrived: async () => undefined,
    mistrust: () => undefined,
    want: async () => undefined,
  };
  const dispatch = createDispatch({
    database: { hasToken: async (_project, token) => parts.tokens?.includes(token) === true },
    membership: {
      verify: async () => {
        if (parts.isFenced?.()) throw new Fenced();
      },
      fenceUnreachable: async () => false,
    },
    placement: placement as Placement,
    store: {
      claimOf: () => claim,
      epochOf: () => undefined,
      tidy: () => undefined,
      hasToken: (_project, token) => parts.tokens?.includes(token) === true,
    },
    client: { send: async () => parts.sent ?? { kind: 'unreachable' } },
    wall: { ...wall, after: (ms, run) => void setImmediate(() => [wall.pass(ms), run()]) as never },
    createToken: () => 'T',
  });
  return dispatch;
}

/** A request whose first runs find that the project is lost. */
function toCall(failures: number, isRead = false): { readonly call: Call; runs(): number } {
  let runs = 0;
  const here = async (): Promise<Reply> => {
    runs += 1;
    if (runs <= failures) throw new ProjectLost('p');
    return created;
  };
  const call: Call = {
    kind: isRead ? 'control' : 'api',
    project: 'p',
    creates: true,
    isRead,
    head: {},
    text: '',
    here,
  };
  return { call, runs: () => runs };
}

test('a request whose project is lost is run again', async () => {
  const { call, runs } = toCall(2);
  expect(await create({ at: 'here' }).run(call)).toEqual({ reply: created });
  expect(runs()).toBe(3);
});

test('a request whose project is lost after its effect was stored is not run again', async () => {
  const { call, runs } = toCall(1);
  const placed = await create({ at: 'here', tokens: ['T'] }).run(call);
  expect(placed).toMatchObject({ problem: { kind: 'unconfirmed' } });
  expect(runs()).toBe(1);
});

test('a forwarded request that arrives late, after its sender has run it elsewhere, is not run', async () => {
  const { call, runs } = toCall(0);
  const dispatch = create({ at: 'here', tokens: ['T'] });
  await expect(dispatch.runForwarded(call, { token: 'T', mayBeApplied: false })).rejects.toThrow(ProjectLost);
  expect(runs()).toBe(0);
  expect(await dispatch.runForwarded(call, { token: 'U', mayBeApplied: false })).toEqual(created);
});

test('what a fenced replica has read is not answered', async () => {
  const { call, runs } = toCall(0, true);
  expect(await create({ at: 'here', isFenced: () => runs() < 3 }).run(call)).toEqual({ reply: created });
  expect(runs()).toBe(3);
});

test('a change that another replica may have applied gets a response that names the database, and a read one that it was not', async () => {
  const answer = (isRead: boolean) =>
    create({ at: 'there', sent: { kind: 'unavailable' } }).run(toCall(0, isRead).call);
  const toProblem = (text: RegExp) => ({ problem: { kind: 'unavailable', message: expect.stringMatching(text) } });
  expect(await answer(false)).toMatchObject(toProblem(/cannot find out .* applied, .* database/));
  expect(await answer(true)).toMatchObject(toProblem(/database, and the request was not applied/));
});
