/** What a check is, how it sends callbacks, and how it judges the responses of a receiver. */
import type { CallbackFormat } from '../../callbacks/format.ts';
import { isDelivered, isEndpointGone } from '../../callbacks/retry.ts';
import type { DeliveryResult } from '../../callbacks/send.ts';
import type { AttemptResult, CallbackContent, CheckContext, SendOptions, TestCallback } from './context.ts';

/** One check: its texts, and what it does. To add a check, add a row to the table in its group's file. */
export type Check = CheckTexts & (Accepts | Rejects | Runs);

export interface CheckTexts {
  /** Expected behaviour of the receiver, as shown in the report. */
  readonly name: string;
  /** Why that matters, for the developer of a receiver that fails the check. */
  readonly why: string;
  /** How to fix the receiver. */
  readonly fix: string;
  /** Returns why the check does not apply to callbacks of this form, or undefined if it does. */
  readonly unless?: (format: CallbackFormat) => string | undefined;
}

/** Callbacks that the receiver must accept. */
interface Accepts {
  readonly accepts: Plan;
}

/** Callbacks that the receiver must reject. `meaning` explains what an accepted one implies. */
interface Rejects {
  readonly rejects: Plan;
  readonly meaning: string;
}

/** A check that is more than a list of callbacks. */
interface Runs {
  run(context: CheckContext): Promise<CheckFinding>;
}

/** New callbacks and how to send them, by label; it may depend on the form of the callbacks. */
type Plan = PlannedCallbacks | ((format: CallbackFormat) => PlannedCallbacks);
type PlannedCallbacks = Readonly<Record<string, CallbackContent & SendOptions>>;

/** Checks with a common heading in the report. */
export interface CheckGroup {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** Result of a check. */
export type CheckFinding =
  | { readonly ok: true; readonly note: string }
  | {
      readonly ok: false;
      readonly note: string;
      /** Why the remaining checks are skipped after this. */
      readonly ends?: string;
      /** Hint at the likely cause in that case. */
      readonly hint?: string;
    };

/** An attempt to send, with its label in the report. */
export interface PlannedAttempt extends SendOptions {
  readonly label?: string;
  readonly callback: TestCallback;
}

/** Sends attempts in order. Stops at the first without a response, because each of the others might time out too. */
export async function sendInOrder(
  context: CheckContext,
  attempts: readonly PlannedAttempt[],
): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { label = '', callback, ...options } of attempts) {
    const result = await context.post(callback, options);
    steps.push({ label, result });
    if ('error' in result.outcome) break;
  }
  return steps;
}

function sendPlan(context: CheckContext, plan: Plan): Promise<readonly Step[]> {
  const planned = typeof plan === 'function' ? plan(context.about.format) : plan;
  const attempts = Object.entries(planned).map(([label, { sign, ...content }]) => ({
    label,
    callback: context.createCallback(content),
    ...(sign && { sign }),
  }));
  return sendInOrder(context, attempts);
}

export async function runCheck(check: Check, context: CheckContext): Promise<CheckFinding> {
  if ('run' in check) return check.run(context);
  if ('accepts' in check) return judgeAccepted(await sendPlan(context, check.accepts));
  return judgeRejected(await sendPlan(context, check.rejects), check.meaning);
}

/** One attempt of a check. */
export interface Step {
  /** Label of the attempt, if the check makes several. */
  readonly label?: string;
  readonly result: AttemptResult;
}

/** Passes if the receiver accepted all attempts. The note lists the others. */
export function judgeAccepted(steps: readonly Step[]): CheckFinding {
  return judge(steps, toRejection);
}

/** Passes if the receiver rejected all attempts. `meaning` explains what an accepted one implies. */
function judgeRejected(steps: readonly Step[], meaning: string): CheckFinding {
  return judge(steps, (outcome) => toAcceptance(outcome, meaning));
}

/** Returns why a valid callback was not accepted, or undefined if it was. */
export function toRejection(outcome: DeliveryResult): string | undefined {
  if ('error' in outcome) return toUnanswered(outcome.error);
  if (isDelivered(outcome)) return undefined;
  const { status, retryAfter } = outcome;
  if (isEndpointGone(outcome)) return 'responded with 410, so the sender drops this callback and sends no more';
  if (isRedirect(outcome)) return `responded with ${status}: redirects are not followed`;
  return `responded with ${status}${retryAfter === undefined ? '' : ` with retry-after ${JSON.stringify(retryAfter.slice(0, 40))}`}`;
}

/** Statuses that ask the sender to retry later: the receiver may accept the forged callback then. */
const retryStatuses: readonly number[] = [408, 425, 429];

/** Returns why an invalid callback was not rejected, or undefined if it was. */
function toAcceptance(outcome: DeliveryResult, meaning: string): string | undefined {
  if ('error' in outcome) return toUnanswered(outcome.error);
  const { status } = outcome;
  if (isDelivered(outcome)) return `responded with ${status}: ${meaning}`;
  if (status >= 500)
    return `responded with ${status}: this looks like an outage, so the callback is sent again; expected a 4xx`;
  if (isRedirect(outcome)) return `responded with ${status}: a redirect is not a rejection; expected a 4xx`;
  if (retryStatuses.includes(status)) return `responded with ${status}: this asks for a retry and is not a rejection`;
  return undefined;
}

function toUnanswered(error: string): string {
  return `no response (${error})`;
}

export function isRedirect(outcome: DeliveryResult): boolean {
  return 'status' in outcome && outcome.status >= 300 && outcome.status <= 399;
}

function judge(steps: readonly Step[], toFault: (outcome: DeliveryResult) => string | undefined): CheckFinding {
  const faults = new Map<string, string[]>();
  for (const { label = '', result } of steps) {
    const fault = toFault(result.outcome);
    if (fault !== undefined) faults.set(fault, [...(faults.get(fault) ?? []), label]);
  }
  if (faults.size === 0) return { ok: true, note: toNote(steps) };
  const notes = [...faults].map(([fault, labels]) => [labels.filter((label) => label !== '').join(', '), fault]);
  return {
    ok: false,
    note: notes.map(([labels, fault]) => (labels === '' ? fault : `${labels}: ${fault}`)).join('; '),
  };
}

/** Lists the statuses, and the time of the slowest attempt. */
function toNote(steps: readonly Step[]): string {
  const statuses = steps.flatMap(({ result: { outcome } }) => ('status' in outcome ? [outcome.status] : []));
  const slowest = Math.max(...steps.map(({ result }) => result.ms));
  return `${[...new Set(statuses)].join(', ')} in ${Math.ceil(slowest)} ms`;
}
