/** Sweeps a reference client in this process. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SweepReport } from '../../src/sweep-report/report.ts';
import { runCommand } from '../harness/cli.ts';
import { createFolder } from '../harness/folder.ts';

/** Of this operation; all its kinds by default. @throws Error if the command cannot be swept, or the sandbox has a bug */
export async function runSweep(
  command: readonly string[],
  operation: string,
  kinds: readonly string[] = [],
): Promise<SweepReport> {
  const out = createFolder();
  const json = path.join(out, 'report.json');
  const which = ['--operation', operation, ...kinds.flatMap((kind) => ['--kind', kind])];
  // A command that says nothing for five more seconds is hung. The clients wait up to six seconds for callbacks.
  const how = ['--jobs', '2', '--timeout', '8s', '--out', out, '--json', json];
  const { code, err } = await runCommand(['sweep', ...which, ...how, '--', ...command]);
  if (code === 2 || err.includes('bug in the sandbox')) throw new Error(err);
  return JSON.parse(readFileSync(json, 'utf8')) as SweepReport;
}
