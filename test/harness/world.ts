/** A world without a server: on a wall clock of the test's own, with a receiver that is a function. */
import type { Outcome } from '../../src/callbacks/send.ts';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { type Executed, execute } from '../../src/downstream/execute.ts';
import { type OperationId, operations } from '../../src/operations/index.ts';
import { toTask } from '../../src/operations/to-task.ts';
import { emptyPlan } from '../../src/scenarios/decide.ts';
import type { Plan } from '../../src/scenarios/effects/effect.ts';
import { createWorld, type Keeping, type World, type WorldSetting } from '../../src/world.ts';
import type { WorldData } from '../../src/world-data.ts';
import { createTestWall, type TestWall } from './wall.ts';

export interface LoneWorld {
  readonly world: World;
  readonly wall: TestWall;
  /** What was sent: the body of each attempt. */
  readonly sent: string[];
  /** Carries an operation out, or accepts it. */
  ask(operation: OperationId, body: Record<string, unknown>, plan?: Partial<Plan>): Executed;
  /** Advances its frozen clock. */
  advance(ms: number): Promise<object>;
}

const day = 86_400_000;

/** What worlds are made with here: as without any option, but frozen where not said otherwise. */
export function toSetting(wall: TestWall, more: Partial<WorldSetting> = {}): WorldSetting {
  return {
    seed: 'test',
    wall,
    sender: { send: () => Promise.resolve({ status: 204 }) },
    clock: { mode: 'frozen', nowMs: day },
    endpoint: undefined,
    duplicates: 'reject',
    attendantAccess: 'required',
    strict: false,
    retriesMs: [5000, 30_000, 120_000, 600_000],
    concurrency: 1,
    ...more,
  };
}

/** `answer` is given the callback's id and how many attempts there were before; without it there is no endpoint. */
export function createLoneWorld(
  more: Partial<WorldSetting> = {},
  answer?: (callbackId: string, before: number) => Outcome,
  data?: WorldData,
  keeping?: Keeping,
): LoneWorld {
  const wall = createTestWall(day);
  const sent: string[] = [];
  const sender: WorldSetting['sender'] = {
    send: async ({ headers, body }) => {
      sent.push(body);
      const id = headers['webhook-id'] ?? '';
      return answer?.(id, world.data.callbacks.get(id)?.attempts.length ?? 0) ?? { status: 204 };
    },
  };
  const endpoint = answer && { url: 'http://receiver.test/', secret: defaultSecret, disabled: false };
  const bug = (error: unknown) => {
    throw error;
  };
  const events = { callback: () => undefined, remark: () => undefined, bug };
  const world = createWorld('p', toSetting(wall, { sender, endpoint, ...more }), events, data && { data }, keeping);
  return {
    world,
    wall,
    sent,
    ask: (operationId, body, plan) => {
      const operation = operations[operationId];
      return execute(world, {
        operationId,
        operation,
        mode: operation.mode,
        requestId: world.nextRequestId(),
        now: world.moment(),
        ...toTask(operation, { projectId: 'p' }, body, new Map()),
        plan: { ...emptyPlan(), ...plan },
        source: undefined,
        processingMs: 200,
      });
    },
    advance: (ms) => world.schedule.advance(() => ({ to: world.now() + ms, stopIdle: false })),
  };
}
