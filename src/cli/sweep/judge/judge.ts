/** Judges how a command survived a failure. Pure functions. */
import type { FailureCase } from '../../../scenarios/cases.ts';
import { isBad, type Verdict } from '../../../sweep-report/verdicts.ts';
import { hungAfterMs } from '../../trial/time-limit.ts';
import type { TrialResult } from '../../trial/trial.ts';
import type { Differences } from '../compare/compare.ts';
import { describeDifferences, describeFailure } from './describe.ts';
import { findForgery } from './forgery.ts';
import { namesFailure } from './names-failure.ts';

/** What the command did without any failure. */
export interface BaselineFacts {
  /** Number of requests by operation. */
  readonly operations: ReadonlyMap<string, number>;
  /** Outputs of all runs without a failure. */
  readonly outputs: readonly string[];
}

/** A failure of one operation, or what scenarios do to any. */
export interface JudgedFailure extends Pick<FailureCase, 'expects'> {
  /** Undefined: any. */
  readonly operation: string | undefined;
  /** The kinds that it can have. */
  readonly kinds: readonly string[];
  /** The reasons that it gives for entries. */
  readonly reasons: readonly string[];
  /** Names of its scenarios. */
  readonly names: ReadonlySet<string>;
}

/** A run under a failure, compared with the baseline. */
export interface JudgedRun {
  readonly failure: JudgedFailure;
  readonly result: Pick<TrialResult, 'end' | 'exitCode' | 'mistake' | 'output' | 'lives' | 'early' | 'quietMs'>;
  readonly differences: Differences;
  /** Number of requests of the operation. */
  readonly requests: number;
  /** How often the rule of the case fired. */
  readonly fired: number;
}

/** More requests than this, compared with the baseline, are a storm. */
export function maxRequests(baselineRequests: number): number {
  return Math.max(baselineRequests * stormFactor, baselineRequests + stormExcess);
}

const stormFactor = 10;
const stormExcess = 19;

/** Judges a run under a case. */
export function judgeCase(one: FailureCase, run: Omit<JudgedRun, 'failure'>, baseline: BaselineFacts): Judgement {
  const finding = judge({ ...run, failure: toJudged(one) }, baseline);
  return { ...finding, detail: `${describeFailure(one)}: ${finding.what}` };
}

function toJudged({ operation, expects, kind, name, yaml }: FailureCase): JudgedFailure {
  const [, reason] = /\b(?:refuse|fail): ([^},]+?) \}/.exec(yaml) ?? [];
  return { operation, expects, kinds: [kind], reasons: [reason ?? []].flat(), names: new Set([name]) };
}

export interface Finding {
  readonly verdict: Verdict;
  /** What the command did. */
  readonly what: string;
  /** The same of a bad one, in a few words. */
  readonly found?: string;
}

export interface Judgement extends Finding {
  /** One sentence. */
  readonly detail: string;
}

/** Returns the first verdict that holds. */
export function judge(run: JudgedRun, baseline: BaselineFacts): Finding {
  const { result, fired } = run;
  if (fired === 0) return { verdict: 'not-reached', what: describeUnreached(run) };
  const found = findSpin(run, baseline) ?? (result.exitCode === 0 ? judgePassed(run, baseline) : judgeFailed(run));
  return isBad(found.verdict) ? found : (findImpatience(run) ?? found);
}

function describeUnreached({ result: { exitCode, end } }: JudgedRun): string {
  const how = end === 'exited' ? `ended with ${exitCode}` : 'had to be ended';
  return `no request met it, and the command ${how}`;
}

/** Finds a command that never ends, or sends too many requests. */
function findSpin(
  { failure: { operation }, result: { end }, requests }: JudgedRun,
  baseline: BaselineFacts,
): Finding | undefined {
  if (end === 'hung') {
    return {
      verdict: 'hung',
      what: 'the command had to be ended; it had sent nothing for 5 s',
      found: 'ended at the time limit',
    };
  }
  const usual = baseline.operations.get(operation ?? '') ?? 0;
  if (requests > maxRequests(usual)) {
    const sent = `the command sent ${requests} requests to it instead of ${usual}`;
    const what = `${sent}. Limit the number of retries, and wait longer before each`;
    return { verdict: 'storm', what, found: `${requests} requests instead of ${usual}` };
  }
  if (end === 'retrying') {
    return {
      verdict: 'retrying',
      what: 'the command had to be ended a minute after the time limit, and still sent requests',
    };
  }
  return undefined;
}

/** Finds a retry that came too early after the failure of the case. */
function findImpatience({ failure: { names }, result: { early } }: JudgedRun): Finding | undefined {
  const first = early.find(({ entry }) => entry.fired.some(({ scenario }) => names.has(scenario)));
  if (!first) return undefined;
  const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;
  const found = `sent again after ${seconds(first.waitedMs)}; retry-after: ${seconds(first.askedMs)}`;
  return { verdict: 'impatient', what: `the command did not wait: ${found}`, found };
}

function judgePassed(run: JudgedRun, baseline: BaselineFacts): Finding {
  const { differences } = run;
  const { missing, extra, differing, missingChanges } = differences;
  const found = describeDifferences(differences);
  const but = `the command passed, but ${found}`;
  if (extra.length > 0) return { verdict: 'duplicated', what: but, found };
  const forgery = findForgery(run.failure, run.result.lives);
  if (forgery !== undefined) return { verdict: 'accepted-forgery', what: forgery, found: forgery };
  const areRecordsSame = missing.length + differing.length === 0;
  if (areRecordsSame && missingChanges.length === 0) {
    return { verdict: 'recovered', what: 'the command passed, with the same records as without it' };
  }
  if (areRecordsSame && missingChanges.every(({ collection }) => collection === 'locations')) {
    return { verdict: 'tolerated', what: `${but}; newer locations of the same devices arrived` };
  }
  const { kinds, reasons } = run.failure;
  const { output } = run.result;
  const named = namesFailure({ kinds, reasons, output, baselineOutputs: baseline.outputs, differences });
  if (named !== undefined) return { verdict: 'logged', what: `${but}; its output says: ${named}` };
  return { verdict: 'unnoticed', what: but, found };
}

function judgeFailed(run: JudgedRun): Finding {
  const { exitCode, mistake, quietMs } = run.result;
  const forgery = findForgery(run.failure, run.result.lives);
  if (forgery !== undefined) return { verdict: 'accepted-forgery', what: forgery, found: forgery };
  const ended = mistake ?? `the command ended with ${exitCode}`;
  if (run.failure.expects === 'report') return { verdict: 'reported', what: ended };
  // A test runner may have ended a client that waited.
  const waited = run.failure.kinds.some((kind) => kind.startsWith('connection-hang')) && quietMs >= hungAfterMs;
  const quiet = waited ? `; no request for ${Math.floor(quietMs / 1000)} s: does your client limit its time?` : '';
  return {
    verdict: 'failed',
    what: `${ended}, but it could have recovered${quiet}`,
    found: `${mistake ?? `exit code ${exitCode}`}${quiet}`,
  };
}
