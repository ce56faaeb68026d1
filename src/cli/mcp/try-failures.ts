/** The tool `try_failures`: runs a sweep of a command as a job, because it takes minutes. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ConfigError } from '../../config/config-error.ts';
import { toWord } from '../../lib/shell-word.ts';
import { defineTool, maxRows, object, type Result, rows, type Tool, ToolError, text, texts } from '../../mcp/tool.ts';
import { toRepeatCommand } from '../../sweep-report/repeat-command.ts';
import type { SweepReport } from '../../sweep-report/report.ts';
import { compareVerdicts, isBad } from '../../sweep-report/verdicts.ts';
import type { Io } from '../frame/io.ts';
import { runProve } from '../prove/command.ts';
import { runSweep } from '../sweep/command.ts';
import { toReportFile } from '../sweep/files.ts';

/** Maximum length of the mistakes of a sweep that could not begin, in characters. */
const maxMessage = 4000;

interface Sweeps {
  readonly tool: Tool;
  /** Ends the sweep that is running. `signal`: the signal of the process, which has reached the sweep already. */
  end(signal: NodeJS.Signals | undefined): Promise<void>;
}

export function createTryFailures(io: Io): Sweeps {
  let running: Promise<unknown> | undefined;
  /** What the command has printed so far. */
  let output = '';
  const run: Run = async (start) => {
    output = '';
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        output += String(chunk);
        done();
      },
    });
    await start({ env: io.env, stdout: sink, stderr: sink }).catch((error: unknown) => {
      throw error instanceof ConfigError ? new ToolError(error.message.slice(0, maxMessage)) : error;
    });
    return output;
  };
  const tool = defineTool(
    {
      name: 'try_failures',
      about:
        'Runs a test command under each failure, and tells which ones it does not survive. Work over 44s answers with a job: call again with it; one runs at a time. Without operation and kind it tries each kind once; one of them alone tries all its cases. budget (5m) limits the time. before (a commit) proves a fix of the case OPERATION/KIND/1 (kind may end in /2 or /always), or of the bad cases of the last sweep.',
      writes: true,
      input: {
        command: z.union([z.string().min(1), z.array(z.string()).min(1)]),
        operation: z.string().optional(),
        kind: z.string().optional(),
        before: z.string().optional(),
        budget: z.string().optional(),
        job: z.string().optional(),
      },
      output: { status: text, job: text, summary: object, cases: rows, proof: object, log: texts },
      progress: () => output.trimEnd().split('\n').at(-1) ?? '',
    },
    async (_context, { command, before, job: _job, ...options }) => {
      if (running) throw new ToolError('another sweep is still running: wait for its answer, or ask for its job');
      const request = { ...options, command: toWords(command) };
      const work = (before === undefined ? sweep(request, run) : proveFix(before, request, run)).finally(() => {
        running = undefined;
      });
      running = work.catch(() => undefined);
      return work;
    },
  );
  return {
    tool,
    end: async (signal) => {
      if (running && signal === undefined) process.kill(process.pid, 'SIGTERM');
      await running;
    },
  };
}

interface SweepRequest {
  readonly command: readonly string[];
  readonly operation?: string | undefined;
  readonly kind?: string | undefined;
  readonly budget?: string | undefined;
}

/** Splits a command; one with quotes, pipes, variables or several lines is for a shell. */
function toWords(command: string | readonly string[]): readonly string[] {
  if (typeof command !== 'string') return command;
  return /^\w+=|["'`$|&;<>()\\*?~#\n]/.test(command.trim()) ? ['sh', '-c', command] : command.trim().split(/\s+/);
}

/** Runs a command of this program. Returns its output. @throws ToolError with it if the command was used wrongly */
type Run = (start: (io: Io) => Promise<number>) => Promise<string>;

/** The report of the last sweep in this folder. */
const reportFile = toReportFile('sweep');

async function sweep({ command, operation, kind, budget }: SweepRequest, run: Run): Promise<Result> {
  // The report in the folder of sweeps also has what earlier ones found in other cases.
  const folder = await mkdtemp(path.join(tmpdir(), 'field-sandbox-sweep-'));
  const json = path.join(folder, 'sweep.json');
  const texts = {
    json,
    ...(operation !== undefined && { operation: [operation] }),
    ...(kind !== undefined && { kind: [kind] }),
    ...(budget !== undefined && { budget }),
    quick: operation === undefined && kind === undefined,
  };
  try {
    await run((io) => runSweep({ args: [], own: texts, sandbox: {}, command }, io));
    return toResult(JSON.parse(await readFile(json, 'utf8')), command.map(toWord).join(' '));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folder of packages, if Git ignores it: the tree of a commit has none. */
async function findPackages(): Promise<string[]> {
  const folder = 'node_modules';
  if (!existsSync(folder)) return [];
  return promisify(execFile)('git', ['check-ignore', '--quiet', folder]).then(
    () => [folder],
    () => [],
  );
}

/** Proves a fix of the case that is named, or else of the bad cases of the last sweep. */
async function proveFix(before: string, { command, operation, kind }: SweepRequest, run: Run): Promise<Result> {
  const out = await mkdtemp(path.join(tmpdir(), 'field-sandbox-proof-'));
  const json = path.join(out, 'proof.json');
  const isOne = operation !== undefined && kind !== undefined;
  const failure = isOne ? { case: `${operation}/${kind.includes('/') ? kind : `${kind}/1`}` } : { sweep: reportFile };
  const link = await findPackages();
  const output = await run((io) =>
    runProve({ args: [], own: { before, link, ...failure, out, json }, sandbox: {}, command }, io),
  );
  const proof = JSON.parse(await readFile(json, 'utf8'));
  const proofs = isOne ? { verdict: proof.verdict, proofs: [proof] } : proof;
  return { text: `${proof.verdict}.`, data: { status: 'done', proof: proofs, log: output.trimEnd().split('\n') } };
}

function toResult({ cases, summary, notTried }: SweepReport, command: string): Result {
  const bad = cases.filter(({ verdict }) => isBad(verdict));
  const worst = cases.toSorted((one, other) => compareVerdicts(one.verdict, other.verdict)).slice(0, maxRows);
  const shown = worst.map((one) => ({
    ...{ case: one.case, verdict: one.verdict, detail: one.detail, expects: one.expects },
    repeat: toRepeatCommand([one], { command }),
    files: [one.scenario, one.output, ...(one.recordings ?? [])].filter((file) => file !== undefined),
  }));
  const more = cases.length > shown.length ? ` cases has the worst ${shown.length}.` : '';
  return {
    text: `${bad.length} of ${cases.length} failures are not survived; ${notTried} not tried.${more}`,
    data: { status: 'done', summary, cases: shown, notTried },
  };
}
