/** Prepares simulations: reads the files that all simulated servers share, and loads all modules. */
import { readSandboxFiles, type SandboxFiles } from '../../src/config/sandbox-files.ts';
import { runHistory } from './history.ts';
import type { Plan } from './plan.ts';
import { toSimulatedOptions } from './world/replica.ts';

/** A history with a takeover and a callback. */
const first: Plan = {
  seed: 1,
  replicas: 2,
  lostAnswers: 0,
  requests: ['failing', 'reset', 'read', 'failing'].map((kind, n) => ({
    client: 0,
    kind: kind as Plan['requests'][number]['kind'],
    project: n === 1 ? 2 : 0,
    pauseMs: n === 3 ? 3000 : 0,
  })),
  faults: [0, 1].map((target) => ({ step: 100 + target * 300, kind: 'kill', target, other: 0, ms: 500 })),
};

/** A module that is loaded during a history would take real time, and make the order of its steps another one. */
export async function prepareSimulations(): Promise<SandboxFiles> {
  const files = await readSandboxFiles(toSimulatedOptions());
  await runHistory(first, files);
  return files;
}
