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

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
