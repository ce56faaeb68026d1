/** Explains one callback: its outcome, the reason for each attempt, what a scenario changed, and what is still to come. */
import type { Attempt, AttemptCause, Callback, Endpoint } from '../../callbacks/callback.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { formatCount, formatSpan } from '../../lib/format.ts';
import type { Schema } from '../handler.ts';
import { isSuccess, listFired } from '../requests/show.ts';

/** What the explanation needs beside the callback. */
export interface CallbackContext {
  /** The request that caused it, while the journal has it. */
  readonly entry: JournalEntry | undefined;
  readonly endpoint: Schema<'CallbackEndpoint'>;
  readonly clock: Schema<'Clock'>;
  /** The payload that receivers get without a scenario. */
  readonly payload: unknown;
}

export function explainCallback(callback: Callback, context: CallbackContext): Schema<'CallbackExplanation'> {
  const { state, attempts, dueAt, body, copiesLeft } = callback;
  const { entry, endpoint, clock, payload } = context;
  const { failed, succeeded, subProjectId } = body.data;
  const sentPayload = JSON.stringify(payload);
  return {
    summary: [describeOutcome(callback, endpoint), explainRepetition(attempts)].join(' ').trim(),
    raisedAt: body.timestamp,
    requestAt: entry?.at,
    subProjectId,
    failed,
    succeeded: succeeded?.map(({ id }) => id),
    endpoint,
    clock,
    nextAttemptAt: state === 'scheduled' ? dueAt : undefined,
    copiesLeft,
    rules: listFired(entry),
    attempts: attempts.map((attempt, index) => ({
      reason: explainAttempt(attempt, attempts[index - 1]),
      change: findChange(attempt.sent, sentPayload),
    })),
  };
}

const causes: Readonly<Record<AttemptCause, string>> = {
  schedule: 'Retry',
  copy: 'Copy, created by a scenario',
  redelivery: 'Manual redelivery',
};

/** Returns why an attempt was made: `Retry, 5 s after the previous attempt`. */
export function explainAttempt(one: Attempt, before: Attempt | undefined): string {
  if (before === undefined) return one.cause === 'schedule' ? 'First attempt' : causes[one.cause];
  const gapMs = Date.parse(one.at) - Date.parse(before.at);
  const gap = gapMs > 0 ? `${formatSpan(gapMs)} after` : 'at the same time as';
  return `${causes[one.cause]}, ${gap} the previous attempt`;
}

/** Returns how the sent bytes differ from the payload; undefined if they are equal. */
function findChange(sent: string, payload: string): Schema<'AttemptExplanation'>['change'] {
  if (sent === payload) return undefined;
  let at = 0;
  while (at < sent.length && sent[at] === payload[at]) at += 1;
  const text =
    at === sent.length
      ? `Truncated by a scenario after ${at} of ${payload.length} characters`
      : `Changed by a scenario, from character ${at + 1}`;
  return { at, text };
}

function describeOutcome({ state, attempts }: Callback, { disabled }: Pick<Endpoint, 'disabled'>): string {
  const end =
    state === 'delivered'
      ? attempts.findIndex(({ status = 0 }) => isSuccess(status))
      : attempts.findLastIndex(({ cause }) => cause === 'schedule');
  const tries = formatCount(end + 1, 'attempt');
  const later = describeLater(attempts.slice(end + 1));
  switch (state) {
    case 'scheduled':
      return attempts.length === 0
        ? 'No attempts yet.'
        : `Not delivered after ${formatCount(attempts.length, 'attempt')}. A retry is scheduled.`;
    case 'delivered':
      return `Delivered on attempt ${end + 1}${later}.`;
    case 'failed':
      return disabled
        ? `Failed after ${tries}${later}. The endpoint is disabled: the receiver responded with 410, or sending was disabled.`
        : `Failed after ${tries}, no retries left${later}.`;
    case 'inbox':
      return `Stored in the inbox: the endpoint had no URL or was disabled${later}.`;
    case 'dropped':
      return attempts.length === 0
        ? 'Not sent: a scenario dropped it, or a snapshot was restored before it was due.'
        : `Cancelled after ${tries}: a snapshot was restored${later}.`;
    default:
      return state satisfies never;
  }
}

const laterCauses: Readonly<Record<AttemptCause, string>> = {
  schedule: 'sent again by an attempt in progress',
  copy: 'sent again as a copy by a scenario',
  redelivery: 'redelivered manually',
};

/** Describes the attempts after the outcome was decided. The text follows that of the outcome. */
function describeLater(later: readonly Attempt[]): string {
  const last = later.at(-1);
  if (!last) return '';
  const position = later.length === 1 ? '' : ` (last of ${later.length} later attempts)`;
  return `; ${laterCauses[last.cause]}, ${describeResult(last)}${position}`;
}

function describeResult(attempt: Attempt): string {
  const { status, error } = attempt;
  if (status !== undefined) return `${isSuccess(status) ? 'delivered' : 'rejected'} with ${status}`;
  return error === undefined ? 'stored in the inbox' : 'no response';
}

/** Returns how the attempts ended, and why there was more than one; an empty text if there was not. */
function explainRepetition(attempts: readonly Attempt[]): string {
  if (attempts.length < 2) return '';
  const scheduled = attempts.filter(({ cause }) => cause === 'schedule');
  const statuses = scheduled.flatMap(({ status }) => (status === undefined || isSuccess(status) ? [] : status));
  const errors = scheduled.flatMap(({ error }) => error ?? []);
  const [copies, redeliveries] = (['copy', 'redelivery'] as const).map(
    (cause) => attempts.filter((one) => one.cause === cause).length,
  ) as [number, number];
  const reasons = [
    statuses.length > 0 && `the receiver responded with ${joinCounted(statuses.map(String))}`,
    errors.length > 0 && `the receiver did not respond: ${joinCounted(errors)}`,
    copies > 0 && formatCount(copies, 'copy by a scenario', 'copies by a scenario'),
    redeliveries > 0 && formatCount(redeliveries, 'manual redelivery', 'manual redeliveries'),
  ].filter((reason) => reason !== false);
  return `Sent ${attempts.length} times: ${reasons.join('; ')}.`;
}

/** Joins texts, equal ones with their number: `500 (2 ×), 503`. */
function joinCounted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, times]) => (times === 1 ? text : `${text} (${times} ×)`)).join(', ');
}
