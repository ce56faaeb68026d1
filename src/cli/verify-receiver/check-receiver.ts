/** Runs all checks against a receiver, and finds the check that broke it. */

import { checkCallbackUrl, parseAllowList } from '../../callbacks/address.ts';
import { failureTypes } from '../../callbacks/callback.ts';
import type { CallbackFormat } from '../../callbacks/format.ts';
import { createSender, isUnreachable, type Sender } from '../../callbacks/send.ts';
import { defaultSecret } from '../../callbacks/signature.ts';
import type { WallClock } from '../../lib/time.ts';
import type { Outcome } from '../output/text.ts';
import { createPost, createTestCallbacks } from './attempts.ts';
import type { Check, CheckContext, CheckFinding, TestCallback } from './check.ts';
import { groups } from './groups/index.ts';
import { toRejection } from './judge.ts';

/** A receiver and the options of its checks. */
export interface ReceiverCheck {
  readonly url: string;
  /** Secret in the format of `parseSecret`. */
  readonly secret: string;
  /** The form of the callbacks. */
  readonly format: CallbackFormat;
  /** Allowed addresses in the format of `--callback-allow`. */
  readonly allow: readonly string[];
  readonly wall: WallClock;
  /** Stops the checks. */
  readonly signal?: AbortSignal;
  /** Timeout of one attempt in wall time, in milliseconds; 10 s by default, like the sandbox's. */
  readonly attemptMs?: number;
  /** Timeout of all checks together in wall time, in milliseconds; 180 s by default. */
  readonly wholeMs?: number;
  /** Pause between the pieces of a slow body, in milliseconds; 500 by default. */
  readonly pauseMs?: number;
}

/** A check and its outcome. */
export interface CheckResult extends Omit<Check, 'run' | 'unless'>, Omit<Extract<CheckFinding, { ok: false }>, 'ok'> {
  readonly group: string;
  /** `skipped`: not run, or with `inapplicable` not needed for callbacks of this form. */
  readonly outcome: Outcome;
  readonly inapplicable?: true;
  readonly ms: number;
}

/** Results of all checks, or why none could run: the address is not allowed, or no receiver is running. */
export type ReceiverResult =
  | { readonly results: readonly CheckResult[] }
  | { readonly refusal: string }
  | { readonly unreached: string };

const defaultAttemptMs = 10_000;

/** Number of checks. */
export const checkCount: number = groups.flatMap(({ checks }) => checks).length;

/** Runs the checks one after another, and reports each result to `onResult`. */
export async function checkReceiver(
  about: ReceiverCheck,
  onResult: (result: CheckResult) => void,
): Promise<ReceiverResult> {
  const { url, allow, wall, attemptMs = defaultAttemptMs, wholeMs = 180_000, signal } = about;
  const parsed = parseAllowList(allow);
  const refusal = parsed.ok ? checkCallbackUrl(url, parsed.allow) : parsed.message;
  if (!parsed.ok || refusal !== undefined) return { refusal: refusal ?? '' };
  const sender = createSender({ allow: parsed.allow, timeoutMs: attemptMs });
  const end = (): void => void sender.close();
  let isOver = false;
  const cancel = wall.after(wholeMs, () => {
    isOver = true;
    end();
  });
  signal?.addEventListener('abort', end);
  const stopReason = (): string | undefined => {
    if (signal?.aborted) return 'the command was stopped';
    return isOver ? `all checks together took longer than ${wholeMs / 1000} s` : undefined;
  };
  try {
    return await runAll(createContext(about, sender), wall, stopReason, onResult);
  } finally {
    cancel();
    signal?.removeEventListener('abort', end);
    await sender.close();
  }
}

interface RunContext extends CheckContext {
  /** Returns why the last attempt did not reach the receiver, or undefined if it did. */
  readonly unreached: () => string | undefined;
  readonly hasAccepted: () => boolean;
}

function createContext(about: ReceiverCheck, sender: Sender): RunContext {
  const { secret, format, wall, attemptMs = defaultAttemptMs, pauseMs = 500 } = about;
  const createTestCallback = createTestCallbacks(wall, format);
  const post = createPost(about, sender);
  const [defaultType] = failureTypes;
  let first: TestCallback | undefined;
  let unreached: string | undefined;
  const createCallback: CheckContext['createCallback'] = (given = {}) =>
    createTestCallback(given.type ?? first?.type ?? defaultType, given);
  return {
    format,
    createCallback,
    post: async (sent, options) => {
      const result = await post(sent, options);
      unreached = isUnreachable(result.outcome) && 'error' in result.outcome ? result.outcome.error : undefined;
      return result;
    },
    attemptMs,
    pause: () => new Promise((done) => wall.after(pauseMs, done)),
    noteAccepted: (accepted) => {
      first = accepted;
    },
    firstAccepted: () => first ?? createCallback(),
    secretText:
      secret === defaultSecret
        ? 'the published default secret; --callback-secret sets another'
        : 'the secret that you set',
    unreached: () => unreached,
    hasAccepted: () => first !== undefined,
  };
}

async function runAll(
  context: RunContext,
  wall: WallClock,
  stopReason: () => string | undefined,
  onResult: (result: CheckResult) => void,
): Promise<ReceiverResult> {
  const results: CheckResult[] = [];
  const all = groups.flatMap(({ name, checks }) => checks.map((check) => ({ group: name, check })));
  let ended: string | undefined;
  for (const { group, check } of all) {
    const startedMs = wall.elapsed();
    const needless = check.unless?.(context.format);
    if (needless !== undefined && ended === undefined) {
      const result = { ...toResult(group, check, { skipped: needless }, 0), inapplicable: true as const };
      results.push(result);
      onResult(result);
      continue;
    }
    const finding = ended === undefined ? await runOne(check, context) : undefined;
    const unreached = context.unreached();
    if (results.length === 0 && unreached !== undefined) return { unreached };
    // A cancelled check has no finding.
    const stopped = stopReason();
    ended ??= stopped;
    const found = finding && stopped === undefined ? finding : { skipped: ended ?? '' };
    const result = toResult(group, check, found, wall.elapsed() - startedMs);
    ended ??= result.ends;
    results.push(result);
    onResult(result);
  }
  return { results };
}

/** Runs a check and sends a valid callback after it, so that a broken receiver is attributed to this check. */
async function runOne(check: Check, context: RunContext): Promise<CheckFinding> {
  const finding = await check.run(context);
  if (!context.hasAccepted() || (!finding.ok && finding.ends !== undefined)) return finding;
  const { outcome } = await context.post(context.createCallback());
  const rejection = toRejection(outcome);
  if (rejection === undefined) return finding;
  const note = `${finding.note}; a valid callback after it: ${rejection}`;
  return { ok: false, note, ends: `after "${check.name}" the receiver no longer accepts valid callbacks` };
}

function toResult(
  group: string,
  check: Check,
  found: CheckFinding | { readonly skipped: string },
  ms: number,
): CheckResult {
  const { name, why, fix } = check;
  const common = { group, name, why, fix, ms };
  if ('skipped' in found) return { ...common, outcome: 'skipped', note: found.skipped };
  if (found.ok) return { ...common, outcome: 'passed', note: found.note };
  const { ok: _, ...fault } = found;
  return { ...common, outcome: 'failed', ...fault };
}
