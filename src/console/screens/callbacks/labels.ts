/** Texts and colors for the states and outcomes of callbacks. */
import { html, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { statusChip } from '../../parts/chips.ts';

export type Callback = Schemas['Callback'];
export type Attempt = Schemas['Attempt'];

export const types: readonly Callback['type'][] = [
  'jobs.import.failed',
  'jobs.update.failed',
  'routes.import.failed',
  'orders.import.failed',
  'orders.update.failed',
  'jobs.import.completed',
  'jobs.update.completed',
  'routes.import.completed',
  'orders.import.completed',
  'orders.update.completed',
];

/** Renders the outcome of an attempt: a status, no response, or delivery to the inbox. */
export function outcome({ status, error }: Attempt): TemplateResult {
  if (status !== undefined) return statusChip(status);
  if (error === undefined) return html`<span class="chip quiet">inbox</span>`;
  return html`<span class="chip bad">no response</span>`;
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

/** Whether the callback was delivered, and the receiver rejected a later attempt. */
export function isRejectedLater({ state, attempts }: Callback): boolean {
  const last = attempts.at(-1);
  return state === 'delivered' && last !== undefined && !isDelivered(last);
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
