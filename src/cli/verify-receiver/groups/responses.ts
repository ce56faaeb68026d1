/** Checks that callbacks reach the receiver. If one of these fails, the remaining checks are skipped. */
import { completionTypes, failureTypes } from '../../../callbacks/callback.ts';
import { defaultSecret } from '../../../callbacks/signature.ts';
import {
  type CheckFinding,
  type CheckGroup,
  isRedirect,
  judgeAccepted,
  type Step,
  sendAll,
  toRejection,
} from '../check.ts';
import { type CheckContext, defaultAttemptMs } from '../context.ts';

/** How much too early a timer may fire, in milliseconds. */
const timerToleranceMs = 2;

/** Explains why no callback was accepted, with a hint at the likely cause. */
function explainRejection(
  { about: { secret, format } }: CheckContext,
  steps: readonly Step[],
  note: string,
): CheckFinding {
  const outcome = steps[0]?.result.outcome;
  const status = outcome && 'status' in outcome ? outcome.status : undefined;
  // All have the same response if the note names only one.
  const isSame = steps.every(({ result }) => 'status' in result.outcome) && !note.includes('; ');
  const failure = {
    outcome: 'failed',
    note: isSame && outcome ? `all of them: ${toRejection(outcome)}` : note,
  } as const;
  if (status === undefined)
    return { ...failure, ends: 'valid callbacks get no response', hint: 'check the log of the receiver' };
  if (status >= 500) return { ...failure, ends: 'the receiver fails for all valid callbacks', hint: 'check its log' };
  const hint =
    status === 404 || status === 405
      ? 'check the path, and accept callbacks with unknown ids'
      : format.signature.kind === 'none'
        ? 'check its log: the callbacks of the profile have no signature'
        : `check the secret (the callbacks are signed with ${toSecretText(secret)}), the clock, and that the signature is verified with the raw bytes of the body`;
  return { ...failure, ends: 'the receiver rejects all valid callbacks', hint };
}

/** Says which secret signs the callbacks. */
function toSecretText(secret: string): string {
  return secret === defaultSecret
    ? 'the published default secret; --callback-secret sets another'
    : 'the secret that you set';
}

export const responds: CheckGroup = {
  name: 'responds',
  checks: [
    {
      name: 'responds in time',
      why: 'An attempt times out after 10 s. The sender then tries again, although you may have processed the callback.',
      fix: 'Save the callback (queue, table), send the complete response 204 at once, and process the callback afterwards.',
      run: async (context) => {
        const { outcome, ms } = await context.post(context.createCallback());
        if ('status' in outcome && ms < (context.about.attemptMs ?? defaultAttemptMs) - timerToleranceMs)
          return { outcome: 'passed', note: String(outcome.status) };
        // The sandbox only needs the response headers, but every attempt would last until the timeout.
        if ('status' in outcome)
          return {
            outcome: 'failed',
            note: `${outcome.status}, but the response did not end`,
            ends: 'the responses never end',
          };
        return { outcome: 'failed', note: `no response (${outcome.error})`, ends: 'a valid callback got no response' };
      },
    },
    {
      name: 'responds without a redirect',
      why: 'The sender does not follow redirects: it treats them as failures, and no callback ever arrives.',
      fix: 'Register the address that it redirects to. Check for a trailing slash, http instead of https, or a login page.',
      run: async (context) => {
        const { outcome } = await context.post(context.createCallback());
        if (!isRedirect(outcome)) return { outcome: 'passed', note: 'no redirect' };
        return { outcome: 'failed', note: toRejection(outcome) ?? '', ends: 'valid callbacks are redirected' };
      },
    },
    {
      name: 'accepts all types',
      why: 'A callback without a 2xx response is sent four more times within 13 minutes, and is then lost.',
      fix: 'Respond with 2xx to every type, including types that you do not use.',
      run: async (context) => {
        const types = context.about.format.successes ? [...failureTypes, ...completionTypes] : failureTypes;
        const steps = await sendAll(context, Object.fromEntries(types.map((type) => [type, { type }])));
        const finding = judgeAccepted(steps);
        context.accepted = steps.find(({ result }) => toRejection(result.outcome) === undefined)?.callback;
        return finding.outcome === 'passed' || context.accepted
          ? finding
          : explainRejection(context, steps, finding.note);
      },
    },
  ],
};
