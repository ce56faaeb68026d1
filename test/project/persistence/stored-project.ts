/** A stored project without a server: what its file says, and random steps that change it. */
import fc from 'fast-check';
import { createCallbackFormat } from '../../../src/callbacks/format.ts';
import type { Delivery, DeliveryResult } from '../../../src/callbacks/send.ts';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { createResponseRedaction } from '../../../src/http/redact.ts';
import { joinTexts } from '../../../src/lib/chunks.ts';
import { createHash } from '../../../src/lib/random.ts';
import { runAll } from '../../../src/lib/slices.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { type OperationId, operations } from '../../../src/operations/index.ts';
import { parseCommand } from '../../../src/operations/parse-command.ts';
import { execute } from '../../../src/project/commands/execute.ts';
import { readLog } from '../../../src/project/persistence/log/read-log.ts';
import { UnwrittenChanges } from '../../../src/project/persistence/log/unwritten-changes.ts';
import { Project, type ProjectOptions } from '../../../src/project/project.ts';
import type { ProjectState } from '../../../src/project/state.ts';
import { forever } from '../../../src/scenarios/counts.ts';
import { type CallbackRule, emptyPlan, type Plan } from '../../../src/scenarios/effects/effect.ts';
import { createTestWall, type TestWall } from '../../harness/wall.ts';

const day = 86_400_000;

/** Returns the default options of a project, but with a frozen clock. `more` overrides them. */
export function toSetting(wall: TestWall, more: Partial<ProjectOptions> = {}): ProjectOptions {
  return {
    seed: 'test',
    wall,
    sender: { send: () => Promise.resolve({ status: 204 }) },
    clock: { mode: 'frozen', nowMs: day },
    endpoint: undefined,
    rules: shippedProfile,
    strict: false,
    timeoutMs: 10_000,
    retriesMs: [5000, 30_000, 120_000, 600_000],
    concurrency: 1,
    redactResponse: createResponseRedaction(() => false),
    format: createCallbackFormat(shippedProfile.callbacks),
    ...more,
  };
}

export interface StoredProject {
  readonly project: Project;
  readonly state: ProjectState;
  /** Applies a command, or accepts it if the operation is asynchronous. */
  ask(operation: OperationId, body: Record<string, unknown>, plan?: Partial<Plan>): unknown;
  /** Advances the frozen clock. */
  advance(ms: number): Promise<object>;
  /** Stores an order. */
  put(order: { readonly id: string; readonly notes?: string }): void;
  /** Returns the text of a whole file. */
  toText(): string;
  /** Returns the lines of what has changed since the file and the lines before; undefined if that needs a whole file. */
  toLines(): string | undefined;
  /** Lengths of the pieces of the last text or lines. */
  readonly lengths: readonly number[];
}

const chance = createHash('receiver');

/** Simulates a receiver that sometimes fails. The result depends only on the arguments. */
function answer(id: string, before: number): DeliveryResult {
  const drawn = chance.fraction(`${id}:${before}`);
  if (drawn < 0.3) return { error: 'connection refused' };
  if (drawn < 0.5) return { status: 503, retryAfter: '20' };
  return drawn < 0.53 ? { status: 410 } : { status: 200 };
}

export function createStoredProject(id = 'p'): StoredProject {
  const log = new UnwrittenChanges(id, undefined);
  const send = async ({ headers }: Delivery) => {
    const callback = String(headers['webhook-id']);
    return answer(callback, project.state.callbacks.get(callback)?.attempts.length ?? 0);
  };
  const endpoint = { url: 'http://receiver.test/', secret: defaultSecret, disabled: false };
  const nothing = () => undefined;
  const reportError = (error: unknown) => {
    throw error;
  };
  const project: Project = new Project(
    id,
    toSetting(createTestWall(day), { sender: { send }, endpoint }),
    { callback: nothing, serverCounts: () => new Map(), commandApplied: nothing, reportError },
    undefined,
    {
      adapter: { read: () => Promise.resolve(null), write: () => Promise.resolve() },
      trackWrites: (writes) => log.trackWrites(writes),
      trackCallback: (callback) => log.trackCallback(callback),
      changed: nothing,
      persisted: nothing,
    },
  );
  const { state } = project;
  const lengths: number[] = [];
  const join = (pieces: Iterable<string>): string => {
    const all = [...joinTexts(pieces)];
    lengths.splice(0, Number.POSITIVE_INFINITY, ...all.map(({ length }) => length));
    return all.join('');
  };
  return {
    project,
    state,
    lengths,
    ask: (operationId, body, plan) => {
      const operation = operations[operationId];
      return execute(project, {
        operationId,
        operation,
        mode: operation.mode,
        requestId: project.nextRequestId(),
        now: project.runDue(),
        ...parseCommand(operation, { projectId: id }, body, new Map()),
        plan: { ...emptyPlan(), ...plan },
        text: '',
        processingMs: 200,
      });
    },
    advance: (ms) => project.schedule.advance(() => ({ to: project.now() + ms, stopIdle: false })),
    put: (order) => {
      project.nextChangeNumber();
      project.commit([{ put: order, into: 'orders', id: order.id }], 0);
    },
    toText: () => join(log.toWhole(state)),
    toLines: () => {
      const lines = log.toLines(state);
      return lines && join(lines);
    },
  };
}

/** Splits a text into its lines, each with its line end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Reads a file: the whole project and the lines after it. Throws if it is damaged. */
export function readProject(
  file: string,
  log: string | readonly string[] = '',
): { readonly state: ProjectState; readonly isCut: boolean } {
  const lines = typeof log === 'string' ? linesOf(log) : log;
  return runAll(readLog([...linesOf(file), ...lines], 'p.json', undefined));
}

/** Converts a state to JSON. Sorts the counts: one that was reset is last in the state, but at its old place in the lines. */
export function toValue(state: ProjectState): unknown {
  const { records, due, callbacks, groups, activations, ruleCounts, requestTallies, ...parts } = state;
  const lists = [...Object.values(records), due, callbacks, groups, activations].map((list) => [...list]);
  const counts = [ruleCounts, requestTallies].map((pairs) => Object.entries(Object.fromEntries(pairs)).sort());
  return JSON.parse(JSON.stringify({ ...parts, counts, lists }));
}

/** A step in a project. */
export type Step = (stored: StoredProject) => unknown;

const everyTurn = { hashed: ['seed', 'all'], countsCallbacks: false, turn: { since: 0 } };
const callbackRules: CallbackRule[] = [
  {
    key: 'every-second',
    fault: { delayMs: 700, copies: 3 },
    hashed: ['seed', 'every-second'],
    countsCallbacks: true,
    turn: { since: 0, times: 2, request: { from: 1, to: forever, every: 2 } },
  },
  { key: 'all', fault: { delayMs: 50 }, ...everyTurn },
];
/** Rules that delay callbacks and send them in random order. */
const gathering: CallbackRule[] = [
  { key: 'gather', fault: { delayMs: 3000, order: 'shuffle', copies: 2 }, ...everyTurn },
];
const tampering: CallbackRule[] = [
  { key: 'turn', fault: { delayMs: 0, order: 'reverse', body: 'malformed', signature: 'stale' }, ...everyTurn },
];
const failed: Plan['failed'] = new Map([
  [1, { reason: 'planned', afterMs: 900 }],
  [2, { reason: 'planned too' }],
]);

const id = fc.constantFrom('A', 'B', 'C', '__proto__', '');
const ids = fc.array(id, { maxLength: 4 });
const toJobs = (names: readonly string[]) => names.map((each, sequence) => ({ id: each, sequence }));

const bodySteps: readonly ((stored: StoredProject, names: readonly string[]) => unknown)[] = [
  ({ ask }, names) => ask('asyncImportJobs', { jobs: toJobs(names) }, { callbackRules }),
  ({ ask }, names) => ask('asyncUpdateJobs', { jobs: toJobs(names) }),
  ({ ask }, names) => ask('asyncImportJobs', { jobs: toJobs(names) }, { failed, callbackRules }),
  ({ ask }, names) => ask('asyncUpdateJobs', { jobs: toJobs(names) }, { callbackRules: gathering }),
  ({ ask }, names) => ask('asyncUpdateJobs', { jobs: toJobs(names) }, { callbackRules: tampering }),
  ({ ask }, names) => ask('asyncImportRoutes', { routes: [{ id: 'R', jobs: toJobs(names) }] }),
  ({ ask }, names) => ask('syncImportOrders', { orders: names.map((each) => ({ id: each })) }),
];

/** A random step: an import, a failure, a disturbed callback, an advance of the clock. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...bodySteps), ids).map(
      ([act, names]): Step =>
        (stored) =>
          act(stored, names),
    ),
  },
  fc.tuple(id, fc.nat(9)).map(
    ([deviceId, minute]): Step =>
      ({ ask }) =>
        ask('submitLocation', { deviceId, eventDateTime: `2026-03-02T09:3${minute}:00Z` }),
  ),
  fc.constantFrom(1, 200, 5000, 40_000, 900_000).map(
    (ms): Step =>
      ({ advance }) =>
        advance(ms),
  ),
);
