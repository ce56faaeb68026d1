/** Sweeps a reference client in this process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sweepCommand } from '../../src/cli/sweep/sweep.ts';
import { runDefaults } from '../../src/config/option-table.ts';
import { readSandboxFiles } from '../../src/config/sandbox-files.ts';
import { createWallClock } from '../../src/lib/time.ts';
import type { SweepReport } from '../../src/sweep-report/report.ts';
import { readOptions } from '../harness/start-sandbox.ts';

/** What to sweep. Default: all operations and kinds. */
export interface SweepTask {
  readonly command: readonly string[];
  readonly operations?: readonly string[] | undefined;
  readonly kinds?: readonly string[] | undefined;
}

/** A command that says nothing for five more seconds is hung. The clients wait up to six seconds for callbacks. */
const timeoutMs = 8000;

/** Runs the sweep, and deletes its files. @throws Error if the command cannot be swept, or the sandbox has a bug */
export async function runSweep({ command, operations, kinds }: SweepTask): Promise<SweepReport> {
  const options = readOptions(runDefaults);
  const out = mkdtempSync(path.join(tmpdir(), 'field-sandbox-sweep-'));
  try {
    const result = await sweepCommand({
      options,
      io: process,
      files: await readSandboxFiles(options),
      command,
      sweep: { operations, kinds, occurrences: 1, quick: false, jobs: 2, budgetMs: undefined, timeoutMs, out },
      last: { bad: new Set() },
      wall: createWallClock(),
      signal: new AbortController().signal,
      began: () => undefined,
      done: () => undefined,
    });
    if (result.bugs.length > 0) throw new Error(result.bugs.join('\n'));
    return result.report;
  } finally {
    rmSync(out, { recursive: true });
  }
}
