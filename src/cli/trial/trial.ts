/** Runs a command once against a sandbox of its own, and returns what both did. */

import type { Options } from '../../config/option-table.ts';
import type { SandboxFiles } from '../../config/sandbox-files.ts';
import type { CompiledScenario } from '../../scenarios/compile.ts';
import { type RunningSandbox, startSandbox } from '../../server.ts';
import { toCommandEnvironment } from '../command-environment.ts';
import type { Io } from '../frame/io.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { logTo } from '../output/log.ts';
import { collectRecordings, type RecordedLife } from '../recordings/collect.ts';
import { startChild } from './child.ts';
import { type Life, LifeCollector } from './lives.ts';
import { settle } from './settle.ts';
import { type Limits, Watch, type Watched } from './watch.ts';

/** What to run. */
export interface TrialRequest extends Limits {
  readonly options: Options;
  readonly files: SandboxFiles;
  /** Scenarios that are active in addition to those of the files. */
  readonly scenarios: readonly CompiledScenario[];
  readonly command: readonly string[];
  /** Folder in which it runs. Default: the working directory. */
  readonly cwd?: string;
  /** Environment variables of the command, in addition to those of `run`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Gets messages of the sandbox's own bugs. */
  readonly bugs: Set<string>;
  /** Streams and environment of the sandbox command. */
  readonly io: Pick<Io, 'stderr' | 'env'>;
}

/** What all trials of a series have in common. */
export type TrialSeries = Pick<TrialRequest, 'options' | 'files' | 'command' | 'bugs' | 'io' | 'wall' | 'signal'>;

export interface TrialResult extends Watched, Pick<TrialRequest, 'scenarios'> {
  readonly exitCode: number;
  /** Why the command could not run. */
  readonly mistake: string | undefined;
  /** Wall time at which the command was started, in milliseconds. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** What it printed, without the secrets of the options. */
  readonly output: string;
  readonly lives: readonly Life[];
  readonly recordings: readonly RecordedLife[];
  /** Number of requests, or callbacks, on which rules of `scenarios` fired. */
  readonly fired: number;
}

/** @throws ConfigError or an error with a `code`, like `startSandbox` */
export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const { options, files, scenarios, command, environment, bugs, wall } = request;
  const notices = {
    keepsAllRequests: true,
    reportError: (id: string, error: unknown) => bugs.add(`${id}: ${error instanceof Error ? error.message : error}`),
    warn: () => undefined,
  };
  const serverScenarios = [...scenarios, ...files.serverScenarios];
  const sandbox = await startSandbox(options, notices, wall, { ...files, serverScenarios });
  const recordings = collectRecordings(sandbox);
  const flushLog = logTo(request.io.stderr, sandbox, options, { logLinesDropped: 0, errorsEscaped: 0 });
  const lives = new LifeCollector(sandbox);
  const watch = new Watch(sandbox, request);
  try {
    const startedMs = wall.elapsed();
    const startedAtMs = wall.now();
    const child = startChild(
      command,
      { ...toCommandEnvironment(request.io.env, sandbox, options), ...environment },
      wall,
      request.cwd,
    );
    watch.start(child);
    const exit = await child.exited;
    const watched = watch.stop();
    lives.commandEnded();
    // Receivers have ended with the command: what is still due takes effect, and nothing is sent.
    for (const { state } of sandbox.projects.list()) state.endpoint = undefined;
    await settle(sandbox.projects);
    return {
      ...watched,
      exitCode: exit.code,
      mistake: 'mistake' in exit ? exit.mistake : undefined,
      startedAtMs,
      durationMs: wall.elapsed() - startedMs,
      output: hideSecrets(child.output(), options),
      lives: lives.finish(),
      recordings: recordings.finish(),
      ...{ scenarios, fired: countFirings(sandbox, scenarios) },
    };
  } finally {
    flushLog();
    await sandbox.close();
  }
}

/** Sums the firings of the rules of scenarios that are active in all projects. */
function countFirings({ projects }: RunningSandbox, scenarios: readonly CompiledScenario[]): number {
  const own = projects
    .rulesOf(undefined)
    .rules.filter(({ rule }) => scenarios.some(({ rules }) => rules.includes(rule)));
  return own.reduce((sum, { key }) => sum + (projects.serverCounts.get(key)?.acted ?? 0), 0);
}
