/** Runs a command once against a sandbox of its own, and returns what both did. */

import type { Options } from '../../config/option-table.ts';
import type { SandboxFiles } from '../../config/sandbox-files.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import type { WallClock } from '../../lib/time.ts';
import type { CompiledScenario } from '../../scenarios/compile.ts';
import { type RunningSandbox, startSandbox } from '../../server.ts';
import { toCommandEnvironment } from '../command-environment.ts';
import type { Io } from '../frame/io.ts';
import { hideSecrets } from '../output/hide-secrets.ts';
import { logRequests, toLogFormat } from '../output/log.ts';
import { createLogSink } from '../output/log-sink.ts';
import { collectRecordings, type RecordedLife } from '../recordings/collect.ts';
import { settle } from '../run/verdict/settle.ts';
import { type Child, startChild } from './child.ts';
import { collectLives, type Life } from './lives.ts';
import { type EarlyRetry, watchRetries } from './retries.ts';
import { imposedMs, judgeTime, retryAfterMs } from './time-limit.ts';

/** What to run. */
export interface TrialRequest {
  readonly options: Options;
  readonly files: SandboxFiles;
  /** Scenarios that are active in addition to those of the files. */
  readonly scenarios: readonly CompiledScenario[];
  readonly command: readonly string[];
  /** Environment variables of the command, in addition to those of `run`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Streams and environment of the sandbox command. */
  readonly io: Pick<Io, 'stderr' | 'env'>;
  readonly wall: WallClock;
  /** Time after which the command is ended, without what the sandbox imposes, in milliseconds. Default: unlimited. */
  readonly limitMs?: number;
  /** Ends the command if it sends more requests of an operation. Default: unlimited. */
  readonly maxRequests?: (operation: string) => number;
  /** Ends the command when it is aborted. */
  readonly signal: AbortSignal;
  /** Called when the command begins to wait for a delayed response or the end of a `retry-after`, and when it goes on. */
  readonly onWait?: (isWaiting: boolean) => void;
}

/** How the command ended: by itself, or because it was ended for this reason. */
export type TrialEnd = 'exited' | 'hung' | 'retrying' | 'storm' | 'aborted';

export interface TrialResult {
  readonly end: TrialEnd;
  readonly exitCode: number;
  /** Why the command could not run. */
  readonly mistake: string | undefined;
  /** The last request, if the command still waited for its response when it was ended. */
  readonly unanswered: JournalEntry | undefined;
  /** Wall time at which the command was started, in milliseconds. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Time since its last request when it ended, in milliseconds. */
  readonly quietMs: number;
  /** What it printed, without the secrets of the options. */
  readonly output: string;
  readonly requests: readonly JournalEntry[];
  readonly early: readonly EarlyRetry[];
  readonly lives: readonly Life[];
  readonly recordings: readonly RecordedLife[];
  /** Number of requests, or callbacks, on which each rule for all projects fired, by scenario. */
  readonly firings: ReadonlyMap<string, number>;
  /** Messages of the sandbox's own bugs. */
  readonly bugs: readonly string[];
}

/** How often the time limit is checked, in milliseconds. */
const tickMs = 100;

/** @throws ConfigError or an error with a `code`, like `startSandbox` */
export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const { options, files, scenarios, command, environment, wall } = request;
  const bugs: string[] = [];
  const notices = {
    keepsAllRequests: true,
    reportError: (id: string, error: unknown) => bugs.push(`${id}: ${error instanceof Error ? error.message : error}`),
    warn: () => undefined,
  };
  const serverScenarios = [...scenarios, ...files.serverScenarios];
  const sandbox = await startSandbox(options, notices, wall, { ...files, serverScenarios });
  const recordings = collectRecordings(sandbox);
  const flushLog = logTrial(sandbox, options, request.io.stderr);
  const lives = collectLives(sandbox);
  const requests: JournalEntry[] = [];
  sandbox.journal.subscribe((entry) => requests.push(entry));
  const early = watchRetries(sandbox.journal, wall);
  try {
    const startedMs = wall.elapsed();
    const startedAtMs = wall.now();
    const child = startChild(
      command,
      { ...toCommandEnvironment(request.io.env, sandbox, options), ...environment },
      wall,
    );
    const watched = watch(child, sandbox, requests, request);
    const exit = await child.exited;
    watched.stop();
    lives.commandEnded();
    // Receivers have ended with the command: what is still due takes effect, and nothing is sent.
    for (const { state } of sandbox.projects.list()) state.endpoint = undefined;
    await settle(sandbox.projects);
    return {
      ...watched.result(),
      exitCode: exit.code,
      mistake: 'mistake' in exit ? exit.mistake : undefined,
      startedAtMs,
      durationMs: wall.elapsed() - startedMs,
      output: hideSecrets(child.output(), options),
      requests,
      early,
      lives: lives.finish(),
      recordings: recordings.finish(),
      firings: countFirings(sandbox),
      bugs,
    };
  } finally {
    await flushLog();
    await sandbox.close();
  }
}

/** Logs the requests to the standard error, if the options ask for it. */
function logTrial(sandbox: RunningSandbox, { log }: Options, stderr: Io['stderr']): () => Promise<void> {
  const sink = createLogSink(() => stderr, { logLinesDropped: 0, errorsEscaped: 0 });
  return logRequests(sandbox, toLogFormat(log, stderr.isTTY === true), sink);
}

/** Ends the command at its limits, and says when it waits for the sandbox. */
function watch(
  child: Child,
  { projects }: RunningSandbox,
  requests: readonly JournalEntry[],
  { wall, limitMs, maxRequests = () => Number.POSITIVE_INFINITY, signal, onWait }: TrialRequest,
): { readonly result: () => Pick<TrialResult, 'end' | 'unanswered' | 'quietMs'>; readonly stop: () => void } {
  const startedMs = wall.elapsed();
  const counts = new Map<string, number>();
  let end: TrialEnd = 'exited';
  let unanswered: JournalEntry | undefined;
  let seen = 0;
  let imposed = 0;
  let lastRequestMs = startedMs;
  let isWaiting = false;
  let quietMs = 0;
  let cancel = (): void => undefined;

  /** Counts the requests since the last check. Returns whether one operation has too many. */
  function countNew(): boolean {
    let isStorm = false;
    for (; seen < requests.length; seen += 1) {
      const entry = requests[seen] as JournalEntry;
      const operation = entry.operation ?? '';
      const count = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, count);
      imposed += imposedMs(entry);
      lastRequestMs = wall.elapsed();
      isStorm ||= count > maxRequests(operation);
    }
    return isStorm;
  }

  function check(): TrialEnd | undefined {
    if (signal.aborted) return 'aborted';
    if (countNew()) return 'storm';
    if (limitMs === undefined) return undefined;
    const now = wall.elapsed();
    return judgeTime({ overMs: now - startedMs - limitMs - imposed, quietMs: now - lastRequestMs });
  }

  /** Whether the response to the last request is held back, and its connection is still open. */
  function isHeld(): boolean {
    const { project, fault } = requests.at(-1) ?? {};
    const isOpen = project !== undefined && projects.peek(project)?.hasWaitingClients() === true;
    return isOpen && (fault === 'hang' || fault === 'drip');
  }

  /** Whether the command has sent nothing since the last check, and waits for what the sandbox imposes. */
  function waits(hadRequests: boolean): boolean {
    if (hadRequests) return false;
    const last = requests.at(-1);
    const isAsked = last !== undefined && wall.elapsed() - lastRequestMs < retryAfterMs(last);
    return isAsked || isHeld() || projects.list().some(({ delayedRequests }) => delayedRequests.size > 0);
  }

  function tell(now: boolean): void {
    if (now !== isWaiting) onWait?.(now);
    isWaiting = now;
  }

  function tick(): void {
    const before = seen;
    const found = check();
    if (found) {
      end = found;
      if (found === 'hung' && isHeld()) unanswered = requests.at(-1);
      child.end();
    } else {
      tell(waits(seen > before));
      cancel = wall.after(tickMs, tick);
    }
  }

  cancel = wall.after(tickMs, tick);
  return {
    result: () => ({ end, unanswered, quietMs }),
    stop: () => {
      cancel();
      countNew();
      quietMs = wall.elapsed() - lastRequestMs;
      tell(false);
    },
  };
}

/** Sums the firings of the rules for all projects, by scenario. */
function countFirings({ projects }: RunningSandbox): ReadonlyMap<string, number> {
  const firings = new Map<string, number>();
  for (const { key, rule } of projects.rulesOf(undefined).rules) {
    const { acted = 0 } = projects.serverCounts.get(key) ?? {};
    firings.set(rule.scenario, (firings.get(rule.scenario) ?? 0) + acted);
  }
  return firings;
}
