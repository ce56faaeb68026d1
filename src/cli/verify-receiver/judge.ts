/** Judges the responses of a receiver: whether it accepted valid callbacks and rejected invalid ones. */
import { isDelivered, isEndpointGone } from '../../callbacks/retry.ts';
import type { DeliveryResult } from '../../callbacks/send.ts';
import type { AttemptResult, CheckFinding } from './check.ts';

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
export function judgeRejected(steps: readonly Step[], meaning: string): CheckFinding {
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
