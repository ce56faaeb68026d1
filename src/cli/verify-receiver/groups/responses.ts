/** Checks that callbacks reach the receiver. If one of these fails, the remaining checks are skipped. */
import type { Check, CheckContext, CheckFinding, CheckGroup } from '../check.ts';
import { isRedirect, judgeAccepted, type Step } from '../judge.ts';
import { type PlannedAttempt, sendInOrder } from '../send-in-order.ts';
import { callbackTypes } from '../test-callback.ts';

/** How much too early a timer may fire, in milliseconds. */
const timerToleranceMs = 2;

const inTime: Check = {
  name: 'answers in time',
  why: 'An attempt ends after 10 s; what has no answer by then is sent again, though it may have been worked on.',
  fix: 'Keep the callback (a queue, a table), answer 204 at once and end the answer; work on it afterwards.',
  run: async (context) => {
    const { outcome, ms } = await context.post(context.createCallback());
    if ('status' in outcome && ms < context.attemptMs - timerToleranceMs)
      return { ok: true, note: String(outcome.status) };
    // The sandbox only needs the response headers, but every attempt would last until the timeout.
    if ('status' in outcome)
      return { ok: false, note: `${outcome.status}, but its end had not come`, ends: 'answers never end' };
    return { ok: false, note: `gave no answer (${outcome.error})`, ends: 'a valid one has no answer' };
  },
};

const noRedirect: Check = {
  name: 'answers at this address itself',
  why: 'The sender follows no redirect: it takes one for a failure, and no callback ever arrives.',
  fix: 'Register the address that it redirects to; look at a slash at its end, at http in place of https, at a login page.',
  run: async (context) => {
    const { outcome } = await context.post(context.createCallback());
    if (!isRedirect(outcome)) return { ok: true, note: 'no redirect' };
    const finding = judgeAccepted([{ result: { outcome, ms: 0 } }]);
    return finding.ok ? finding : { ...finding, ends: 'valid ones are sent elsewhere' };
  },
};

const allTypes: Check = {
  name: 'takes all six types',
  why: 'What is answered by anything but 2xx is sent four times more within 13 minutes, and is then lost.',
  fix: 'Answer 2xx for every type, also for those that you do nothing with.',
  run: async (context) => {
    const attempts = callbackTypes.map((type) => ({ label: type, callback: context.createCallback({ type }) }));
    const steps = await sendInOrder(context, attempts);
    const finding = judgeAccepted(steps);
    const accepted = attempts.find((_, index) => isAccepted(steps[index]));
    if (accepted) context.noteAccepted(accepted.callback);
    return finding.ok || accepted ? finding : explainRejection(context, attempts, steps, finding.note);
  },
};

function isAccepted(step: Step | undefined): boolean {
  return step !== undefined && judgeAccepted([step]).ok;
}

/** Explains why no callback was accepted, with a hint at the likely cause. */
function explainRejection(
  { secretText }: CheckContext,
  attempts: readonly PlannedAttempt[],
  steps: readonly Step[],
  note: string,
): CheckFinding {
  const outcome = steps[0]?.result.outcome;
  const status = outcome && 'status' in outcome ? outcome.status : undefined;
  const failure = { ok: false, note: steps.length < attempts.length ? note : shorten(steps, note) } as const;
  if (status === undefined) return { ...failure, ends: 'valid ones have no answer', hint: 'what does its log say?' };
  if (status >= 500) return { ...failure, ends: 'all valid ones fail', hint: 'what does its log say?' };
  const hint =
    status === 404 || status === 405
      ? 'is the path right? And ids that it does not know have to be taken, too'
      : `is the secret right? They were signed with ${secretText}. Then: does it verify the body's bytes as they came, and is its clock right?`;
  return { ...failure, ends: 'all valid ones are refused', hint };
}

/** Shortens the note if all attempts had the same response. */
function shorten(steps: readonly Step[], note: string): string {
  const [first] = steps;
  const single = first && judgeAccepted([{ result: first.result }]).note;
  return single !== undefined && !note.includes('; ') ? `all of them: ${single}` : note;
}

export const responds: CheckGroup = { name: 'answers', checks: [inTime, noRedirect, allTypes] };
