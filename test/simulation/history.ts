/** Runs one history: starts replicas, lets clients ask and faults happen as planned, and checks what was seen. */
import type { SandboxFiles } from '../../src/config/sandbox-files.ts';
import { runClient } from './client.ts';
import { planFaults } from './faults.ts';
import { createLedger } from './ledger.ts';
import { type Plan, type PlannedRequest, projects } from './plan.ts';
import { watchTables } from './watch.ts';
import { createFleet } from './world/fleet.ts';
import type { Cuts } from './world/links.ts';
import { createReceiver } from './world/receiver.ts';
import { createSimulator } from './world/simulator.ts';
import { createTables } from './world/tables.ts';

export interface Outcome {
  readonly violations: readonly string[];
  /** Who did what, and when. */
  readonly history: readonly string[];
  readonly steps: number;
}

/** Everything ends within this time after the last fault, in milliseconds. */
const patienceMs = 90_000;
/** Callbacks that are repeated without a reason arrive within this time, which includes that of a retry. */
const repeatMs = 6000;
const idleMs = 600;

export async function runHistory(plan: Plan, files: SandboxFiles): Promise<Outcome> {
  const simulator = createSimulator(plan.seed);
  const { now, note } = simulator;
  const violations: string[] = [];
  const violate = (text: string): void => {
    violations.push(text);
    note('VIOLATION', text);
  };
  const ledger = createLedger(now, violate);
  const cuts: Cuts = { databaseUntil: 0, fromDatabase: new Map(), between: new Map(), lostAnswers: plan.lostAnswers };
  const { tables, checkCallback, replay } = watchTables(createTables(now), violate);
  const isCalm = plan.faults.length === 0 && plan.lostAnswers === 0;
  const receiver = createReceiver({
    simulator,
    isCalm,
    violate,
    onSend: (process, id, { projectId, failed }) => {
      note(process.name, `sends callback ${id}`);
      checkCallback(process.name, projectId, id);
      for (const entry of failed) ledger.noteCallback(entry.id, id);
    },
  });
  const fleet = createFleet({ simulator, cuts, tables, receiver, files, violate });
  const slots = Array.from({ length: plan.replicas }, (_, slot) => slot);

  /** Runs steps until all is done or something is wrong. */
  async function until(what: string, isDone: () => boolean): Promise<void> {
    const isEnd = (): boolean => violations.length > 0 || isDone();
    if (!(await simulator.run(now() + patienceMs, isEnd))) violate(`did not end: ${what}`);
  }

  try {
    for (const slot of slots) fleet.start(slot);
    await until('the start', () => fleet.isReady(plan.replicas));
    const faults = planFaults(plan, { simulator, fleet, cuts, tables });
    let busy = 0;
    const ask = (client: number, requests: readonly PlannedRequest[]): void => {
      busy += 1;
      runClient(client, requests, { simulator, fleet, ledger, violate }).then(
        () => {
          busy -= 1;
        },
        (error: unknown) => violate(String((error as Error).stack)),
      );
    };
    for (const client of new Set(plan.requests.map((one) => one.client))) {
      const requests = plan.requests.filter((one) => one.client === client);
      ask(client, requests);
    }
    await until('requests and faults', () => busy === 0 && faults.havePassed());
    faults.end();
    fleet.resumeAll();
    for (const slot of slots) fleet.start(slot);
    await until('requests', () => busy === 0);
    await until('callbacks', () => ledger.missingCallbacks().length === 0);
    const idleUntil = now() + (ledger.asked.some(({ kind }) => kind === 'failing') ? repeatMs : idleMs);
    await until('nothing', () => now() >= idleUntil);
    // A change whose write failed is written at the latest when it is read.
    const reads = projects.map((_, project) => ({ client: -1, kind: 'read' as const, project, pauseMs: 0 }));
    ask(-1, reads);
    await until('the last reads', () => busy === 0);
    if (violations.length === 0) for (const project of projects) ledger.checkEnd(project, replay(project));
  } finally {
    fleet.stop();
  }
  return { violations, history: simulator.history, steps: simulator.steps() };
}
