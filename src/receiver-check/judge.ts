/** Judges what a receiver answered: whether it took what is right, whether it refused what is not. Sends nothing. */
import { isDelivered, isGone } from '../callbacks/retry.ts';
import type { Outcome } from '../callbacks/send.ts';
import type { Answer, Finding } from './check.ts';

/** One attempt of a check. */
export interface Step {
  /** Which one, where the check makes several. */
  readonly what?: string;
  readonly answer: Answer;
}

/** Finds that all were taken, or which were not. */
export function judgeTaken(steps: readonly Step[]): Finding {
  return judge(steps, toUntaken);
}

/** Finds that all were refused, or which were not; `taken` says what it means that one was taken. */
export function judgeRefused(steps: readonly Step[], taken: string): Finding {
  return judge(steps, (outcome) => toUnrefused(outcome, taken));
}

/** What is wrong with an answer to what is right, or undefined. */
export function toUntaken(outcome: Outcome): string | undefined {
  if ('error' in outcome) return toUnanswered(outcome.error);
  if (isDelivered(outcome)) return undefined;
  const { status, retryAfter } = outcome;
  if (isGone(outcome)) return 'answered 410, at which the sender gives up this callback and sends no other';
  if (isRedirect(outcome)) return `answered ${status}: redirects are not followed`;
  return `answered ${status}${retryAfter === undefined ? '' : ` with retry-after ${JSON.stringify(retryAfter.slice(0, 40))}`}`;
}

/** Answers that mean "not now": what is forged would be let in at another time. */
const later: readonly number[] = [408, 425, 429];

function toUnrefused(outcome: Outcome, taken: string): string | undefined {
  if ('error' in outcome) return toUnanswered(outcome.error);
  const { status } = outcome;
  if (isDelivered(outcome)) return `answered ${status}: ${taken}`;
  if (status >= 500) return `answered ${status}: refused, but it looks like an outage, and is sent again`;
  if (isRedirect(outcome)) return `answered ${status}: that is no refusal`;
  if (later.includes(status)) return `answered ${status}, which says "later" and not "no"`;
  return undefined;
}

function toUnanswered(error: string): string {
  return `gave no answer (${error})`;
}

export function isRedirect(outcome: Outcome): boolean {
  return 'status' in outcome && outcome.status >= 300 && outcome.status <= 399;
}

function judge(steps: readonly Step[], toFault: (outcome: Outcome) => string | undefined): Finding {
  const faults = new Map<string, string[]>();
  for (const { what = '', answer } of steps) {
    const fault = toFault(answer.outcome);
    if (fault !== undefined) faults.set(fault, [...(faults.get(fault) ?? []), what]);
  }
  if (faults.size === 0) return { ok: true, note: toNote(steps) };
  const notes = [...faults].map(([fault, whats]) => [whats.filter((what) => what !== '').join(', '), fault]);
  return { ok: false, note: notes.map(([whats, fault]) => (whats === '' ? fault : `${whats}: ${fault}`)).join('; ') };
}

/** What was answered, and how long the slowest took. */
function toNote(steps: readonly Step[]): string {
  const statuses = steps.flatMap(({ answer: { outcome } }) => ('status' in outcome ? [outcome.status] : []));
  const slowest = Math.max(...steps.map(({ answer }) => answer.ms));
  return `${[...new Set(statuses)].join(', ')} in ${Math.ceil(slowest)} ms`;
}
