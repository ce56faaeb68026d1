/** Generates random steps in a project without a server: imports, failures, disturbed callbacks, clock advances. */
import fc from 'fast-check';
import type { DeliveryResult } from '../../src/callbacks/send.ts';
import { createHash } from '../../src/lib/random.ts';
import { forever } from '../../src/scenarios/counts.ts';
import type { CallbackRule } from '../../src/scenarios/effects/effect.ts';
import type { StandaloneProject } from './test-project.ts';

const chance = createHash('receiver');

/** Simulates a receiver that sometimes fails. The result depends only on the arguments. */
export function answer(id: string, before: number): DeliveryResult {
  const drawn = chance.fraction(`${id}:${before}`);
  if (drawn < 0.3) return { error: 'connection refused' };
  if (drawn < 0.5) return { status: 503, retryAfter: '20' };
  return drawn < 0.53 ? { status: 410 } : { status: 200 };
}

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

const id = fc.constantFrom('A', 'B', 'C', '__proto__', '');
const ids = fc.array(id, { maxLength: 4 });
const toJobs = (names: readonly string[]) => names.map((each, sequence) => ({ id: each, sequence }));

/** A step in a project. */
export type Step = (lone: StandaloneProject) => unknown;

/** A random step. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  ids.map(
    (names): Step =>
      (lone) =>
        lone.ask('asyncImportJobs', { jobs: toJobs(names) }, { callbackRules }),
  ),
  ids.map(
    (names): Step =>
      (lone) =>
        lone.ask('asyncUpdateJobs', { jobs: toJobs(names) }),
  ),
  ids.map(
    (names): Step =>
      (lone) => {
        const failed = new Map([
          [1, { reason: 'planned', afterMs: 900 }],
          [2, { reason: 'planned too' }],
        ]);
        return lone.ask('asyncImportJobs', { jobs: toJobs(names) }, { failed, callbackRules });
      },
  ),
  fc.tuple(ids, fc.constantFrom(gathering, tampering)).map(
    ([names, rules]): Step =>
      (lone) =>
        lone.ask('asyncUpdateJobs', { jobs: toJobs(names) }, { callbackRules: rules }),
  ),
  ids.map(
    (names): Step =>
      (lone) =>
        lone.ask('asyncImportRoutes', { routes: [{ id: 'R', jobs: toJobs(names) }] }),
  ),
  ids.map(
    (names): Step =>
      (lone) =>
        lone.ask('syncImportOrders', { orders: names.map((each) => ({ id: each })) }),
  ),
  fc.tuple(id, fc.nat(9)).map(
    ([deviceId, minute]): Step =>
      (lone) =>
        lone.ask('submitLocation', { deviceId, eventDateTime: `2026-03-02T09:3${minute}:00Z` }),
  ),
  fc.constantFrom(1, 200, 5000, 40_000, 900_000).map(
    (ms): Step =>
      (lone) =>
        lone.advance(ms),
  ),
);
