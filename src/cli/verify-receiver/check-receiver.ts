/** Runs all checks against a receiver, and finds the check that broke it. */

import { checkCallbackUrl, parseAllowList } from '../../callbacks/address.ts';
import { createSender } from '../../callbacks/send.ts';
import type { WallClock } from '../../lib/time.ts';
import type { Outcome } from '../report/checks.ts';
import { type Check, type CheckFinding, type CheckTexts, runCheck, toRejection } from './check.ts';
import { CheckContext, defaultAttemptMs, type ReceiverCheck } from './context.ts';
import { groups } from './groups/index.ts';

/** A check and its outcome. */
export interface CheckResult extends Omit<CheckTexts, 'unless'>, Omit<Extract<CheckFinding, { ok: false }>, 'ok'> {
  readonly group: string;
  /** `skipped`: not run, or with `inapplicable` not needed for callbacks of this form. */
  readonly outcome: Outcome;
  readonly inapplicable?: true;
  readonly ms: number;
}

/** Why no check could run: the address is not allowed, or no receiver is running. */
export interface ReceiverProblem {
  readonly refusal?: string;
  readonly unreached?: string;
}

/** Number of checks. */
export const checkCount: number = groups.flatMap(({ checks }) => checks).length;

/** Runs the checks one after another, and reports each result to `onResult`. */
export async function checkReceiver(
  about: ReceiverCheck,
  onResult: (result: CheckResult) => void,
): Promise<ReceiverProblem> {
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
    return await runAll(new CheckContext(about, sender), wall, stopReason, onResult);
  } finally {
    cancel();
    signal?.removeEventListener('abort', end);
    await sender.close();
  }
}

async function runAll(
  context: CheckContext,
  wall: WallClock,
  stopReason: () => string | undefined,
  onResult: (result: CheckResult) => void,
): Promise<ReceiverProblem> {
  const all = groups.flatMap(({ name, checks }) => checks.map((check) => ({ group: name, check })));
  let ended: string | undefined;
  for (const [index, { group, check }] of all.entries()) {
    const startedMs = wall.elapsed();
    const needless = check.unless?.(context.format);
    if (needless !== undefined && ended === undefined) {
      onResult({ ...toResult(group, check, { skipped: needless }, 0), inapplicable: true });
      continue;
    }
    const finding = ended === undefined ? await runOne(check, context) : undefined;
    const { unreached } = context;
    if (index === 0 && unreached !== undefined) return { unreached };
    // A cancelled check has no finding.
    const stopped = stopReason();
    ended ??= stopped;
    const found = finding && stopped === undefined ? finding : { skipped: ended ?? '' };
    const result = toResult(group, check, found, wall.elapsed() - startedMs);
    ended ??= result.ends;
    onResult(result);
  }
  return {};
}

/** Runs a check and sends a valid callback after it, so that a broken receiver is attributed to this check. */
async function runOne(check: Check, context: CheckContext): Promise<CheckFinding> {
  const finding = await runCheck(check, context);
  if (!context.accepted || (!finding.ok && finding.ends !== undefined)) return finding;
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
