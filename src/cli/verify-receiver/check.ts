/** What a check is, how it sends callbacks, and how it judges the responses of a receiver. */
import type { CallbackFormat } from '../../callbacks/format.ts';
import { isDelivered, isEndpointGone } from '../../callbacks/retry.ts';
import type { DeliveryResult } from '../../callbacks/send.ts';
import type { Outcome } from '../report/checks.ts';
import type { AttemptResult, CallbackContent, CheckContext, SendOptions, TestCallback } from './context.ts';

/** One check: its texts, and what it does. To add a check, add a row to the table in its group's file. */
export type Check = CheckTexts &
  (
    | { /** Callbacks that the receiver must accept. */ readonly accepts: Plan }
    | {
        /** Callbacks that the receiver must reject. */
        readonly rejects: Plan;
        /** What an accepted one implies. */
        readonly meaning: string;
      }
    | { run(context: CheckContext): Promise<CheckFinding> }
  );

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

/** Callbacks by their labels in the report, in the order in which they are sent. */
type Callbacks = Readonly<Record<string, PlannedCallback>>;
type Plan = Callbacks | ((context: CheckContext) => Callbacks);

/** A callback that was created before, or the content of a new one, and how to send it. */
type PlannedCallback = CallbackContent & SendOptions & { readonly callback?: TestCallback };

/** Checks with a common heading in the report. */
export interface CheckGroup {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** Result of a check. */
export interface CheckFinding {
  /** `skipped`: not run, or with `inapplicable` not needed for callbacks of this form. */
  readonly outcome: Outcome;
  readonly note: string;
  readonly inapplicable?: true;
  /** Why the remaining checks are skipped after this one has failed. */
  readonly ends?: string;
  /** Hint at the likely cause in that case. */
  readonly hint?: string;
}

/** One attempt of a check. */
export interface Step {
  /** Label of the attempt; empty if the check makes only one. */
  readonly label: string;
  readonly callback: TestCallback;
  readonly result: AttemptResult;
}

/** Sends callbacks in order. Stops at the first without a response, because each of the others might time out too. */
export async function sendAll(context: CheckContext, callbacks: Callbacks): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const [label, planned] of Object.entries(callbacks)) {
    const { callback = context.createCallback(planned) } = planned;
    const result = await context.post(callback, planned);
    steps.push({ label, callback, result });
    if ('error' in result.outcome) break;
  }
  return steps;
}

export async function runCheck(check: Check, context: CheckContext): Promise<CheckFinding> {
  if ('run' in check) return check.run(context);
  const plan = 'accepts' in check ? check.accepts : check.rejects;
  const steps = await sendAll(context, typeof plan === 'function' ? plan(context) : plan);
  if ('accepts' in check) return judgeAccepted(steps);
  return judge(steps, (outcome) => toAcceptance(outcome, check.meaning));
}

/** Passes if the receiver accepted all attempts. The note lists the others. */
export function judgeAccepted(steps: readonly Step[]): CheckFinding {
  return judge(steps, toRejection);
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
  for (const { label, result } of steps) {
    const fault = toFault(result.outcome);
    if (fault !== undefined) faults.set(fault, [...(faults.get(fault) ?? []), label]);
  }
  if (faults.size === 0) return { outcome: 'passed', note: toNote(steps) };
  const notes = [...faults].map(([fault, labels]) => [labels.filter((label) => label !== '').join(', '), fault]);
  return {
    outcome: 'failed',
    note: notes.map(([labels, fault]) => (labels === '' ? fault : `${labels}: ${fault}`)).join('; '),
  };
}

/** Lists the statuses, and the time of the slowest attempt. */
function toNote(steps: readonly Step[]): string {
  const statuses = steps.flatMap(({ result: { outcome } }) => ('status' in outcome ? [outcome.status] : []));
  const slowest = Math.max(...steps.map(({ result }) => result.ms));
  return `${[...new Set(statuses)].join(', ')} in ${Math.ceil(slowest)} ms`;
}
