/** Runs all checks against a receiver, and finds the check that broke it. */

import { checkCallbackUrl, parseAllowList } from '../../callbacks/address.ts';
import { createSender } from '../../callbacks/send.ts';
import { ConfigError } from '../../config/config-error.ts';
import { type Check, type CheckFinding, type CheckTexts, runCheck, toRejection } from './check.ts';
import { CheckContext, defaultAttemptMs, type ReceiverCheck } from './context.ts';
import { groups } from './groups/index.ts';

/** A check and its outcome. */
export interface CheckResult extends Omit<CheckTexts, 'unless'>, CheckFinding {
  readonly group: string;
  readonly ms: number;
}

/**
 * Runs the checks one after another, and reports each result to `onResult`.
 * @throws ConfigError if none can run: the address is not allowed, or no receiver is running
 */
export async function checkReceiver(about: ReceiverCheck, onResult: (result: CheckResult) => void): Promise<void> {
  const { url, allow, attemptMs = defaultAttemptMs, wholeMs = 180_000, signal } = about;
  const parsed = parseAllowList(allow);
  const refusal = parsed.ok ? checkCallbackUrl(url, parsed.allow) : parsed.message;
  // The URL may contain a password.
  if (!parsed.ok || refusal !== undefined)
    throw new ConfigError([url.includes('@') ? `${refusal}` : `${refusal}, got "${url}"`]);
  const sender = createSender({ allow: parsed.allow, timeoutMs: attemptMs });
  const over = AbortSignal.any([AbortSignal.timeout(wholeMs), ...(signal ? [signal] : [])]);
  over.addEventListener('abort', () => void sender.close());
  try {
    const findEnd = (): string | undefined =>
      over.aborted ? `all checks together took longer than ${wholeMs / 1000} s` : undefined;
    await runAll(new CheckContext(about, sender), findEnd, onResult);
  } finally {
    await sender.close();
  }
}

/** `findEnd` returns why the remaining checks are skipped. */
async function runAll(
  context: CheckContext,
  findEnd: () => string | undefined,
  onResult: (result: CheckResult) => void,
): Promise<void> {
  const { url, wall, format } = context.about;
  const all = groups.flatMap(({ name, checks }) => checks.map((check) => ({ group: name, check })));
  let ended: string | undefined;
  for (const [index, { group, check }] of all.entries()) {
    const { name, why, fix, unless } = check;
    const startedMs = wall.elapsed();
    const report = (finding: CheckFinding): void =>
      onResult({ group, name, why, fix, ms: wall.elapsed() - startedMs, ...finding });
    const needless = unless?.(format);
    if (needless !== undefined && ended === undefined) {
      report({ outcome: 'skipped', note: needless, inapplicable: true });
      continue;
    }
    const finding = ended === undefined ? await runOne(check, context) : undefined;
    // A cancelled check has no finding.
    const stopped = findEnd();
    const { unreached } = context;
    if (index === 0 && unreached !== undefined && stopped === undefined)
      throw new ConfigError([`cannot reach ${toShownUrl(url)}: ${unreached}${toHint(unreached)}`]);
    ended ??= stopped;
    report(finding && stopped === undefined ? finding : { outcome: 'skipped', note: ended ?? '' });
    ended ??= finding?.ends;
  }
}

function toHint(why: string): string {
  if (why.startsWith('certificate')) return '';
  return why.includes('TLS') ? '; does this address use https?' : '; is your receiver running?';
}

/** Returns an address without its query, which may contain a token. */
export function toShownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** Runs a check and sends a valid callback after it, so that a broken receiver is attributed to this check. */
async function runOne(check: Check, context: CheckContext): Promise<CheckFinding> {
  const finding = await runCheck(check, context);
  if (!context.accepted || finding.ends !== undefined) return finding;
  const { outcome } = await context.post(context.createCallback());
  const rejection = toRejection(outcome);
  if (rejection === undefined) return finding;
  const note = `${finding.note}; a valid callback after it: ${rejection}`;
  return { outcome: 'failed', note, ends: `after "${check.name}" the receiver no longer accepts valid callbacks` };
}
