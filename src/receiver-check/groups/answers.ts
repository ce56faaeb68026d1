/** Whether callbacks can reach the receiver at all. Where one of these fails, nothing else can be found out. */
import type { Check, Finding, Group, Play } from '../check.ts';
import { inTurn, type Turn } from '../in-turn.ts';
import { isRedirect, judgeTaken, type Step } from '../judge.ts';
import { callbackTypes } from '../letter.ts';

/** How much too early a timer may fire. */
const timerMs = 2;

const inTime: Check = {
  name: 'answers in time',
  why: 'An attempt ends after 10 s; what has no answer by then is sent again, though it may have been worked on.',
  mend: 'Keep the callback (a queue, a table), answer 204 at once and end the answer; work on it afterwards.',
  play: async (play) => {
    const { outcome, ms } = await play.post(play.letter());
    if ('status' in outcome && ms < play.attemptMs - timerMs) return { ok: true, note: String(outcome.status) };
    // The sandbox takes its head for the answer, but every attempt would take the whole time.
    if ('status' in outcome)
      return { ok: false, note: `${outcome.status}, but its end had not come`, ends: 'answers never end' };
    return { ok: false, note: `gave no answer (${outcome.error})`, ends: 'a valid one has no answer' };
  },
};

const noRedirect: Check = {
  name: 'answers at this address itself',
  why: 'The sender follows no redirect: it takes one for a failure, and no callback ever arrives.',
  mend: 'Register the address that it redirects to; look at a slash at its end, at http in place of https, at a login page.',
  play: async (play) => {
    const { outcome } = await play.post(play.letter());
    if (!isRedirect(outcome)) return { ok: true, note: 'no redirect' };
    const finding = judgeTaken([{ answer: { outcome, ms: 0 } }]);
    return finding.ok ? finding : { ...finding, ends: 'valid ones are sent elsewhere' };
  },
};

const allTypes: Check = {
  name: 'takes all six types',
  why: 'What is answered by anything but 2xx is sent four times more within 13 minutes, and is then lost.',
  mend: 'Answer 2xx for every type, also for those that you do nothing with.',
  play: async (play) => {
    const turns = callbackTypes.map((type) => ({ what: type, letter: play.letter({ type }) }));
    const steps = await inTurn(play, turns);
    const finding = judgeTaken(steps);
    const taken = turns.find((_, index) => isTaken(steps[index]));
    if (taken) play.noteTaken(taken.letter);
    return finding.ok || taken ? finding : toEnd(play, turns, steps, finding.note);
  },
};

function isTaken(step: Step | undefined): boolean {
  return step !== undefined && judgeTaken([step]).ok;
}

/** Where none is taken: why, and what to look at first. */
function toEnd({ secretWords }: Play, turns: readonly Turn[], steps: readonly Step[], note: string): Finding {
  const outcome = steps[0]?.answer.outcome;
  const status = outcome && 'status' in outcome ? outcome.status : undefined;
  const common = { ok: false, note: steps.length < turns.length ? note : shorten(steps, note) } as const;
  if (status === undefined) return { ...common, ends: 'valid ones have no answer', hint: 'what does its log say?' };
  if (status >= 500) return { ...common, ends: 'all valid ones fail', hint: 'what does its log say?' };
  const hint =
    status === 404 || status === 405
      ? 'is the path right? And ids that it does not know have to be taken, too'
      : `is the secret right? They were signed with ${secretWords}. Then: does it verify the body's bytes as they came, and is its clock right?`;
  return { ...common, ends: 'all valid ones are refused', hint };
}

/** All six in a few words, where all had the same answer. */
function shorten(steps: readonly Step[], note: string): string {
  const [first] = steps;
  const alone = first && judgeTaken([{ answer: first.answer }]).note;
  return alone !== undefined && !note.includes('; ') ? `all of them: ${alone}` : note;
}

export const answers: Group = { name: 'answers', checks: [inTime, noRedirect, allTypes] };
