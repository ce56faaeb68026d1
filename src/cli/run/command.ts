/** `field-sandbox run`: starts a sandbox, runs a command against it, and judges the results. */
import { constants } from 'node:os';
import { nameAsGiven, type OptionNames } from '../../config/options.ts';
import type { ProcessCounters } from '../../journal/counters.ts';
import { createWallClock, type WallClock } from '../../lib/time.ts';
import { type Notices, type RunningSandbox, startSandbox } from '../../server.ts';
import { toCommandEnvironment } from '../command-environment.ts';
import type { Given } from '../frame/command.ts';
import { type Io, printTo } from '../frame/io.ts';
import { toShown } from '../output/hide-secrets.ts';
import { logTo, toBugLines } from '../output/log.ts';
import { catchEscapedErrors } from '../process/escaped-errors.ts';
import { untilSignal } from '../process/signals.ts';
import { collectRecordings } from '../recordings/collect.ts';
import { runChild } from '../trial/child.ts';
import { settle } from '../trial/settle.ts';
import { type Prepared, withOptions } from '../trial/with-options.ts';
import { checkReports, type RunFiles, writeReports } from './files.ts';
import type { RunSummary } from './report.ts';
import { RunResults } from './results.ts';

/** Timeout for closing the sandbox after the report is written, in milliseconds. */
const graceMs = 1000;

/** @returns the exit code: the command's if it is not 0, otherwise 1 if anything failed. @throws ConfigError */
export function runRun({ sandbox, command, own: files }: Given<RunFiles>, io: Io): Promise<number> {
  const example = 'run --scenario outage -- npm test';
  const read = (mistakes: string[]): Promise<number | undefined> => checkReports(files, mistakes, io.env);
  return withOptions({ sandbox, command, example, read }, io, async (prepared) => {
    const { options, names, files: sandboxFiles } = prepared;
    const printError = printTo(io.stderr);
    const wall = createWallClock();
    const bugs: string[] = [];
    const notices = toNotices(bugs, names, printError);
    const releaseErrors = catchEscapedErrors(notices, () => {
      printError('field-sandbox: this error ends the run without a report\n');
      process.exit(1);
    });
    try {
      const started = await startSandbox(options, notices, wall, sandboxFiles);
      const collector = files.record === undefined ? undefined : collectRecordings(started);
      const measures = files.coverage !== undefined || prepared.own !== undefined;
      const run = await runIn(started, prepared, { measures, io, bugs, wall, notices });
      const code = await writeReports(run, collector?.finish(), { options, files, io });
      await Promise.race([started.close(), new Promise<void>((done) => wall.after(graceMs, done))]);
      return code;
    } finally {
      releaseErrors();
    }
  });
}

type RunNotices = Notices & { readonly counters: ProcessCounters };

function toNotices(bugs: string[], names: OptionNames, printError: (text: string) => void): RunNotices {
  return {
    counters: { logLinesDropped: 0, errorsEscaped: 0 },
    keepsAllRequests: true,
    reportError: (id, error) => {
      bugs.push(`${id}: ${error instanceof Error ? error.message : 'the thrown value is not an Error'}`);
      printError(toBugLines(id, error));
    },
    warn: (text) => printError(`${nameAsGiven(text, names)}\n`),
  };
}

interface RunParts {
  /** Whether the coverage is requested. */
  readonly measures: boolean;
  readonly io: Io;
  /** Messages of the sandbox's own bugs. */
  readonly bugs: readonly string[];
  readonly wall: WallClock;
  readonly notices: RunNotices;
}

/** Runs the command against the sandbox. Returns the summary, or an exit code if nothing can be judged. */
async function runIn(
  { url, tls, journal, projects, coverage }: RunningSandbox,
  { options, own: minPercent, command }: Prepared<number | undefined>,
  { measures, io, bugs, wall, notices }: RunParts,
): Promise<RunSummary | number> {
  const printError = printTo(io.stderr);
  const results = new RunResults({ projects, journal });
  const flushLog = logTo(io.stderr, { journal, projects }, options, notices.counters);
  const shownCommand = toShown(command, options);
  printError(`field-sandbox on ${url}, seed ${options.seed}: ${shownCommand}\n`);
  const environment = toCommandEnvironment(io.env, { url, tls }, options);
  try {
    const result = await runChild(command, environment, wall, ownsTerminal());
    if ('mistake' in result) {
      printError(`${result.mistake}\n`);
      return result.code;
    }
    results.commandEnded();
    const settled = settle(projects).catch((error: unknown) => notices.reportError('settling', error));
    const signal = await untilSignal(settled);
    if (signal) {
      printError(`\n${signal}: stopped while work was pending, so there is no report\n`);
      return 128 + constants.signals[signal];
    }
    return {
      ...{ command: shownCommand, ...result, verdict: results.conclude(), bugs },
      ...(measures && { coverage: { report: coverage(), minPercent } }),
    };
  } finally {
    flushLog();
  }
}

function ownsTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
