/** Says why an id has no record, by the last event that decides it. */
import { html, type TemplateResult } from 'lit';
import { linkTo } from '../../data/route.ts';
import type { Entity } from './load.ts';

export function renderMissing({ items }: Entity, project: string): TemplateResult {
  const newest = items.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const last = newest.find(({ kind }) => ['rejected', 'failed', 'pending'].includes(kind));
  if (items.length === 0) {
    return html`<p class="note">
      No request in the journal of project ${project} names this id. It may be in another project, or the project was reset.
    </p>`;
  }
  if (!last) return html`<p class="note">Requests name this id, and none of them created a record.</p>`;
  const { kind, operation, reason } = last;
  if (kind === 'pending') {
    return html`<p class="note warn">
      No record yet: ${operation} is pending. Advance the <a href=${linkTo('clock', { project })}>clock</a>, or wait.
    </p>`;
  }
  const what = kind === 'rejected' ? 'was rejected' : 'failed after its response';
  return html`<p class="note bad">No record, because ${operation} ${what}: <strong>${reason}</strong></p>`;
}
