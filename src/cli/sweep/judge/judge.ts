/** Judges how a command survived a failure. Pure functions. */
import type { FailureCase } from '../../../scenarios/cases.ts';
import type { CompiledScenario } from '../../../scenarios/compiled.ts';
import { failureKindsOf } from '../../../scenarios/failure-kinds.ts';
import { isBad, type Verdict } from '../../../sweep-report/verdicts.ts';
import { hungAfterMs } from '../../trial/time-limit.ts';
import type { TrialResult } from '../../trial/trial.ts';
import type { Differences } from '../compare.ts';
import { describeDifferences } from './describe.ts';
import { toOwnLines, toQuote } from './error-line.ts';

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

/** A run under a failure, compared with the runs without one. */
export interface JudgedRun {
  readonly failure: JudgedFailure;
  readonly result: Pick<
    TrialResult,
    'end' | 'exitCode' | 'mistake' | 'output' | 'lives' | 'early' | 'quietMs' | 'waitedOut'
  >;
  readonly differences: Differences;
  /** Number of requests of the operation, and of those without the failure. */
  readonly requests: number;
  readonly usual: number;
  /** How often its rules fired. */
  readonly fired: number;
  /** Outputs of all runs without a failure. */
  readonly outputs: readonly string[];
}

/** More requests than this, compared with the baseline, are a storm. */
export function maxRequests(baselineRequests: number): number {
  return Math.max(baselineRequests * stormFactor, baselineRequests + stormExcess);
}

const stormFactor = 10;
const stormExcess = 19;

/** `operation`: the one whose requests are counted. */
export function toJudged(scenarios: readonly CompiledScenario[], operation: string | undefined): JudgedFailure {
  const effects = scenarios.flatMap(({ source }) => source.rules.map((rule) => rule.then));
  return {
    operation,
    expects: 'recovery',
    kinds: effects.flatMap(failureKindsOf),
    reasons: effects.flatMap(({ refuse, fail }) => [refuse ?? [], fail ?? []].flat()),
    names: new Set(scenarios.map(({ name }) => name)),
  };
}

export interface Finding {
  readonly verdict: Verdict;
  /** What the command did. */
  readonly what: string;
  /** The same of a bad one, or what is noted of a good one, in a few words. */
  readonly found?: string;
}

export interface Judgement extends Finding {
  /** One sentence. */
  readonly detail: string;
}

/** Returns the first verdict that holds. */
export function judge(run: JudgedRun): Finding {
  const { result, fired } = run;
  if (fired === 0) return { verdict: 'not-reached', what: describeUnreached(run) };
  const found = findSpin(run) ?? (result.exitCode === 0 ? judgePassed(run) : judgeFailed(run));
  return isBad(found.verdict) ? found : (findImpatience(run) ?? found);
}

function describeUnreached({ result: { exitCode, end } }: JudgedRun): string {
  const how = end === 'exited' ? `ended with ${exitCode}` : 'had to be ended';
  return `no request met it, and the command ${how}`;
}

/** Finds a command that never ends, or sends too many requests. */
function findSpin({ result: { end }, requests, usual }: JudgedRun): Finding | undefined {
  if (end === 'hung') {
    return {
      verdict: 'hung',
      what: 'the command had to be ended; it had sent nothing for 5 s',
      found: 'ended at the time limit',
    };
  }
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

/** Shortest wait for a slow response that says something about the client's time limit, in milliseconds. */
const longWaitMs = 1000;

/** Finds a client that waited until the end of a slow response, which may be shorter than its time limit. */
function findWaitedOut({ failure: { names }, result: { waitedOut } }: JudgedRun): string | undefined {
  if (!waitedOut || waitedOut.waitedMs < longWaitMs) return undefined;
  if (!waitedOut.entry.fired.some(({ scenario }) => names.has(scenario))) return undefined;
  return `waited ${Math.round(waitedOut.waitedMs / 1000)} s for the end of a slow response: no time limit seen`;
}

function judgePassed(run: JudgedRun): Finding {
  const { differences } = run;
  const { missing, extra, differing, missingChanges } = differences;
  const found = describeDifferences(differences);
  const but = `the command passed, but ${found}`;
  if (extra.length > 0) return { verdict: 'duplicated', what: but, found };
  const forgery = findForgery(run);
  if (forgery !== undefined) return { verdict: 'accepted-forgery', what: forgery, found: forgery };
  const areRecordsSame = missing.length + differing.length === 0;
  if (areRecordsSame && missingChanges.length === 0) {
    const what = 'the command passed, with the same records as without it';
    const found = findWaitedOut(run);
    return found === undefined
      ? { verdict: 'recovered', what }
      : { verdict: 'recovered', what: `${what}; it ${found}`, found };
  }
  if (areRecordsSame && missingChanges.every(({ collection }) => collection === 'locations')) {
    return { verdict: 'tolerated', what: `${but}; newer locations of the same devices arrived` };
  }
  const named = namesFailure(run);
  if (named !== undefined) return { verdict: 'logged', what: `${but}; its output says: ${named}` };
  return { verdict: 'unnoticed', what: but, found };
}

function judgeFailed(run: JudgedRun): Finding {
  const { exitCode, mistake, quietMs } = run.result;
  const forgery = findForgery(run);
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

const forgedKinds = /^callback-(signature|body)-/;

/** Returns a sentence about the first forged or malformed callback that the receiver accepted, or undefined. */
function findForgery({ failure: { kinds, operation }, result: { lives } }: JudgedRun): string | undefined {
  if (!kinds.some((kind) => forgedKinds.test(kind))) return undefined;
  for (const { project, callbacks } of lives) {
    for (const { id, attempts, fault, operation: from } of callbacks) {
      if ((operation ?? from) !== from || !(fault?.signature || fault?.body)) continue;
      // A redelivery is sent without the fault.
      const accepted = attempts.find(
        ({ cause, status = 0 }) => cause !== 'redelivery' && status >= 200 && status < 300,
      );
      if (accepted) return `the receiver answered ${accepted.status} to callback ${id} of project ${project}`;
    }
  }
  return undefined;
}

/** Returns the first line that names the failure, its status or its ids, and that no baseline has; or undefined. */
function namesFailure({ failure, result, outputs, differences }: JudgedRun): string | undefined {
  const words = failure.reasons.map((reason) => new RegExp(escapeText(reason)));
  const wanted = [...failure.kinds.flatMap(toPatterns), ...words];
  const namesId = toIdTest(differences);
  const names = (line: string): boolean => wanted.some((pattern) => pattern.test(line)) || namesId(line);
  return toQuote(toOwnLines(result.output, outputs).find(names));
}

function toPatterns(kind: string): readonly RegExp[] {
  const [, status] = /^status-(\d+)/.exec(kind) ?? [];
  if (status !== undefined) return [new RegExp(`\\b${status}\\b`)];
  const [, words] = patterns.find(([prefix]) => kind.startsWith(prefix)) ?? [];
  return words ? [words] : [];
}

const patterns: readonly (readonly [prefix: string, words: RegExp])[] = [
  ['refused', /\b(refused|rejected|denied)\b/i],
  ['latency', /\b(time(d)?[ -]?out|ETIMEDOUT|abort(ed)?|slow)\b/i],
  ['connection-hang', /\b(time(d)?[ -]?out|ETIMEDOUT|abort(ed)?)\b/i],
  ['connection-drip', /\b(time(d)?[ -]?out|ETIMEDOUT|abort(ed)?|slow)\b/i],
  [
    'connection-truncate',
    /\b(truncated|incomplete|premature|terminated|unexpected end|EOF|ECONNRESET|aborted|closed|JSON)\b/i,
  ],
  ['connection-', /\b(reset|closed?|hang ?up|ECONNRESET|EPIPE|fetch failed|EOF|terminated|disconnected)\b/i],
  ['callback-delay', /\b(late|time(d)?[ -]?out|delayed|missing|no callback)\b/i],
  ['callback-drop', /\b(time(d)?[ -]?out|missing|lost|no callback)\b/i],
  ['callback-copies', /\b(duplicate|copy|copies|again|already|twice)\b/i],
  ['callback-order', /\b(order|out of order|late)\b/i],
  ['callback-signature', /\b(signature|forged|unsigned|stale|timestamp)\b/i],
  ['callback-body', /\b(malformed|JSON|parse|invalid|body)\b/i],
];

/** Returns whether a line names an id. There may be thousands of both, so ids are found by their last word. */
function toIdTest({ missing, differing, missingChanges }: Differences): (line: string) => boolean {
  const byWord = new Map<string, Set<string>>();
  for (const { id } of [...missing, ...differing, ...missingChanges]) {
    const word = toWords(id).at(-1) ?? '';
    if (id !== '') byWord.set(word, (byWord.get(word) ?? new Set()).add(id));
  }
  const isNamed = (id: string, line: string): boolean =>
    new RegExp(`(^|[^\\w-])${escapeText(id)}([^\\w-]|$)`).test(line);
  return (line) =>
    ['', ...toWords(line)].some((word) => {
      const ids = byWord.get(word);
      return ids !== undefined && (ids.has(word) || [...ids].some((id) => isNamed(id, line)));
    });
}

function toWords(text: string): readonly string[] {
  return text.match(/[\w-]+/g) ?? [];
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
