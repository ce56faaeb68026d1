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
import { readEnvironment } from '../../config/options.ts';
import { toWord } from '../../lib/shell-word.ts';
import { defineTool, maxRows, object, type Result, rows, type Tool, ToolError, text, texts } from '../../mcp/tool.ts';
import { type SweptCommand, toRepeatCommand } from '../../sweep-report/repeat-command.ts';
import type { SweepReport } from '../../sweep-report/report.ts';
import { compareVerdicts, isBad } from '../../sweep-report/verdicts.ts';
import type { Io } from '../frame/io.ts';
import { runProve } from '../prove/command.ts';
import type { ProofVerdict } from '../prove/prove.ts';
import { runSweep } from '../sweep/command.ts';
import { toReportFile } from '../sweep/files.ts';
import { toRepeatOptions } from '../trial/repeat-options.ts';
import { parseRunOptions } from '../trial/with-options.ts';

/** Maximum length of the mistakes of a sweep that could not begin, in characters. */
const maxMessage = 4000;

interface Sweeps {
  readonly tool: Tool;
  /** Ends the sweep that is running. */
  end(): Promise<void>;
}

export function createTryFailures(io: Io): Sweeps {
  const ending = new AbortController();
  let running: { readonly work: Promise<unknown>; readonly signal: AbortSignal } | undefined;
  /** What the command has printed so far. */
  let output = '';
  const run: Run = async (signal, start) => {
    output = '';
    const folder = await mkdtemp(path.join(tmpdir(), 'field-sandbox-report-'));
    const json = path.join(folder, 'report.json');
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        output += String(chunk);
        done();
      },
    });
    try {
      await start({ env: io.env, stdout: sink, stderr: sink, signal }, json);
      const report = await readFile(json, 'utf8').catch(() => undefined);
      if (report === undefined) throw new ToolError(`it has ended early:\n${output.slice(-maxMessage)}`);
      return { report: JSON.parse(report), output };
    } catch (error) {
      throw error instanceof ConfigError ? new ToolError(error.message.slice(0, maxMessage)) : error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
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
    async (_context, { command, before, job: _job, ...options }, signal) => {
      while (running) {
        if (!running.signal.aborted)
          throw new ToolError('another sweep is still running: wait for its answer, or ask for its job');
        await running.work;
      }
      const ended = AbortSignal.any([signal, ending.signal]);
      const request = { ...options, command: toWords(command), env: io.env, signal: ended };
      const work = (before === undefined ? sweep(request, run) : proveFix(before, request, run)).finally(() => {
        running = undefined;
      });
      running = { work: work.catch(() => undefined), signal: request.signal };
      return work;
    },
  );
  return {
    tool,
    end: async () => {
      ending.abort();
      await running?.work;
    },
  };
}

interface SweepRequest {
  readonly command: readonly string[];
  readonly operation?: string | undefined;
  readonly kind?: string | undefined;
  readonly budget?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Splits a command; one with quotes, pipes, variables or several lines is for a shell. */
function toWords(command: string | readonly string[]): readonly string[] {
  if (typeof command !== 'string') return command;
  return /^\w+=|["'`$|&;<>()\\*?~#\n]/.test(command.trim()) ? ['sh', '-c', command] : command.trim().split(/\s+/);
}

/** Starts a command of this program, which writes its report into a file. */
type Start = (io: Io, json: string) => Promise<number>;

/** Runs it until the signal. Returns its report and what it has printed. @throws ToolError if there is no report */
type Run = <Report>(signal: AbortSignal, start: Start) => Promise<{ readonly report: Report; readonly output: string }>;

/** The report of the last sweep in this folder. */
const reportFile = toReportFile('sweep');

async function sweep({ command, operation, kind, budget, env, signal }: SweepRequest, run: Run): Promise<Result> {
  const texts = {
    ...(operation !== undefined && { operation: [operation] }),
    ...(kind !== undefined && { kind: [kind] }),
    ...(budget !== undefined && { budget }),
    quick: operation === undefined && kind === undefined,
  };
  // The report in the folder of sweeps also has what earlier ones found in other cases.
  const { report } = await run<SweepReport>(signal, (io, json) =>
    runSweep({ args: [], own: { ...texts, json }, sandbox: {}, command }, io),
  );
  const parsed = parseRunOptions({}, readEnvironment(env));
  const repeated = parsed.ok ? toRepeatOptions(parsed.options) : undefined;
  return toResult(report, { command: command.map(toWord).join(' '), options: repeated });
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

/** The report of one proof, or of one for each case of a sweep. */
interface ProofReport {
  readonly verdict: ProofVerdict;
  readonly proofs?: readonly ProofReport[];
}

/** Proves a fix of the case that is named, or else of the bad cases of the last sweep. */
async function proveFix(before: string, request: SweepRequest, run: Run): Promise<Result> {
  const { command, operation, kind, signal } = request;
  const isOne = operation !== undefined && kind !== undefined;
  if (!isOne && (operation ?? kind) !== undefined)
    throw new ToolError('/before: expected operation and kind, for one case, or neither, for those of the last sweep');
  const failure = isOne ? { case: `${operation}/${kind.includes('/') ? kind : `${kind}/1`}` } : { sweep: reportFile };
  const link = await findPackages();
  const { report, output } = await run<ProofReport>(signal, (io, json) =>
    runProve({ args: [], own: { before, link, ...failure, json }, sandbox: {}, command }, io),
  );
  const { verdict, proofs = [report] } = report;
  const toRank = (proof: ProofReport): number => Number(proof.verdict === 'proven');
  const worst = proofs.toSorted((one, other) => toRank(one) - toRank(other)).slice(0, maxRows);
  const more = proofs.length > maxRows ? ` proofs has ${maxRows} of ${proofs.length}, the proven ones last.` : '';
  const log = output.trimEnd().split('\n').slice(-maxRows);
  return { text: `${verdict}.${more}`, data: { status: 'done', proof: { verdict, proofs: worst }, log } };
}

function toResult({ cases, summary, notTried }: SweepReport, swept: SweptCommand): Result {
  const bad = cases.filter(({ verdict }) => isBad(verdict));
  const worst = cases.toSorted((one, other) => compareVerdicts(one.verdict, other.verdict)).slice(0, maxRows);
  const shown = worst.map((one) => ({
    ...{ case: one.case, verdict: one.verdict, detail: one.detail, expects: one.expects, error: one.error },
    repeat: toRepeatCommand([one], swept),
    files: [one.scenario, one.output, ...(one.recordings ?? [])].filter((file) => file !== undefined),
  }));
  const more = cases.length > shown.length ? ` cases has the worst ${shown.length}.` : '';
  return {
    text: `${bad.length} of ${cases.length} failures are not survived; ${notTried} not tried.${more}`,
    data: { status: 'done', summary, cases: shown, notTried },
  };
}
