/** Texts and colors for the states and outcomes of callbacks. */
import { html, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { linkTo, route } from '../../data/route.ts';
import { statusChip, statusKind } from '../../parts/chips.ts';
import { span } from '../../parts/times.ts';

export type Callback = Schemas['Callback'];
export type Attempt = Schemas['Attempt'];

type Outcome = Pick<Attempt, 'status' | 'error'>;

/** Renders the outcome of an attempt: a status, no response, or delivery to the inbox. */
export function outcome(one: Outcome): TemplateResult {
  if (one.status !== undefined) return statusChip(one.status);
  return html`<span class="chip ${outcomeKind(one)}">${outcomeText(one)}</span>`;
}

/** Returns the color of an outcome. */
export function outcomeKind({ status, error }: Outcome): 'good' | 'warn' | 'bad' | 'quiet' {
  if (status !== undefined) return statusKind(status);
  return error === undefined ? 'quiet' : 'bad';
}

export function outcomeText({ status, error }: Outcome): string {
  if (status !== undefined) return String(status);
  return error === undefined ? 'inbox' : 'no response';
}

/** Why an attempt was made after the callback was already delivered or had failed. The text follows a semicolon. */
const laterCauses: Readonly<Record<Attempt['cause'], string>> = {
  schedule: 'sent again by an attempt in progress',
  copy: 'sent again as a copy by a scenario',
  redelivery: 'redelivered manually',
};

function isDelivered({ status = 0 }: Attempt): boolean {
  return status >= 200 && status < 300;
}

/** Splits the attempts into those that decided the outcome of the callback, and the later ones. */
export function splitAttempts({ state, attempts }: Callback): {
  readonly deciding: readonly Attempt[];
  readonly later: readonly Attempt[];
} {
  const end =
    state === 'delivered'
      ? attempts.findIndex(isDelivered)
      : attempts.findLastIndex(({ cause }) => cause === 'schedule');
  return { deciding: attempts.slice(0, end + 1), later: attempts.slice(end + 1) };
}

/** Describes the attempts after the outcome was decided, or returns an empty text if there were none. */
export function describeLaterAttempts(later: readonly Attempt[]): string {
  const last = later.at(-1);
  if (!last) return '';
  const { cause, status, error } = last;
  const position = later.length === 1 ? '' : ` (last of ${later.length} later attempts)`;
  const result =
    status !== undefined
      ? `${isDelivered(last) ? 'delivered' : 'rejected'} with ${status}`
      : error === undefined
        ? 'stored in the inbox'
        : 'no response';
  return `; ${laterCauses[cause]}, ${result}${position}`;
}

/** Links to the request whose entries failed. The request opens next to the current screen. */
export function requestLink({ requestId, operation }: Pick<Callback, 'requestId' | 'operation'>): TemplateResult {
  const { screen, query } = route.get();
  return html`<a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
}

/** Why an attempt other than the first was made. */
const causes: Readonly<Record<Attempt['cause'], string>> = {
  schedule: 'Retry',
  copy: 'Copy, created by a scenario',
  redelivery: 'Manual redelivery',
};

/** Describes why an attempt was made: `Retry, 5 s after the previous attempt`. */
export function describeCause({ attempts }: Callback, index: number): string {
  const [one, before] = [attempts[index], attempts[index - 1]];
  if (one === undefined) return '';
  if (before === undefined) return one.cause === 'schedule' ? 'First attempt' : causes[one.cause];
  const gapMs = Date.parse(one.at) - Date.parse(before.at);
  return `${causes[one.cause]}, ${gapMs > 0 ? `${span(gapMs)} after` : 'at the same time as'} the previous attempt`;
}
