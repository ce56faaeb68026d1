/** What the states and outcomes of callbacks are called, and in which colour. */
import { html, type TemplateResult } from 'lit';
import type { Schemas } from '../data/client.ts';
import type { FailedEntry } from '../parts/request-outcome.ts';
import { statusChip } from '../parts/status.ts';

export { stateChip, states } from '../parts/callback-state.ts';

export type Callback = Schemas['Callback'];
export type Attempt = Schemas['Attempt'];

export const types: readonly Callback['type'][] = [
  'jobs.import.failed',
  'jobs.update.failed',
  'routes.import.failed',
  'routes.update.failed',
  'orders.import.failed',
  'orders.update.failed',
];

/** What came of an attempt: an answer, none, or that it was laid into the inbox. */
export function outcome({ status, error }: Attempt): TemplateResult {
  if (status !== undefined) return statusChip(status);
  if (error === undefined) return html`<span class="chip quiet">inbox</span>`;
  return html`<span class="chip bad">no answer</span>`;
}

/** Why an attempt was made when all was over, behind a semicolon. */
const again: Readonly<Record<Attempt['cause'], string>> = {
  schedule: 'sent once more, as it was under way',
  copy: 'a copy of it, as a scenario has it',
  redelivery: 'sent again by hand',
};

function isTaken({ status = 0 }: Attempt): boolean {
  return status >= 200 && status < 300;
}

/** Whether it was taken, and then refused when it was sent once more. */
export function isRefusedLater({ state, attempts }: Callback): boolean {
  const last = attempts.at(-1);
  return state === 'delivered' && last !== undefined && !isTaken(last);
}

/** The attempts that decided what became of it, and those that came after. */
export function partsOf({ state, attempts }: Callback): {
  readonly decided: readonly Attempt[];
  readonly after: readonly Attempt[];
} {
  const end =
    state === 'delivered' ? attempts.findIndex(isTaken) : attempts.findLastIndex(({ cause }) => cause === 'schedule');
  return { decided: attempts.slice(0, end + 1), after: attempts.slice(end + 1) };
}

/** What came of being sent once more when all was over; empty where it was not. */
export function afterwards(after: readonly Attempt[]): string {
  const last = after.at(-1);
  if (!last) return '';
  const { cause, status, error } = last;
  const often = after.length === 1 ? '' : `, the last of ${after.length} attempts since`;
  const result =
    status !== undefined
      ? `${isTaken(last) ? 'taken' : 'refused'} with ${status}`
      : error === undefined
        ? 'laid into the inbox'
        : 'without an answer';
  return `; ${again[cause]}, ${result}${often}`;
}

/** What the message says of its failures. */
export function messageOf({ body }: Callback): {
  readonly timestamp: string;
  readonly subProjectId: string | undefined;
  readonly failed: readonly FailedEntry[];
} {
  const { timestamp, data } = body as {
    timestamp: string;
    data: { subProjectId?: string; failed: readonly FailedEntry[] };
  };
  return { timestamp, subProjectId: data.subProjectId, failed: data.failed };
}
