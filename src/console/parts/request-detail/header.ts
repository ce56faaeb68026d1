/** The header of a request: operation, status, id, and when it was received. */
import { html, type TemplateResult } from 'lit';
import { nowOf } from '../../data/project-clock.ts';
import type { RequestDetails } from '../../data/request-details.ts';
import { statusChip } from '../chips.ts';
import { detailHeader } from '../detail-header.ts';
import { latency } from '../times.ts';

/** `actions` are beside the title. */
export function renderHeader(
  { request, reading }: RequestDetails,
  close: () => void,
  actions: TemplateResult,
): TemplateResult {
  const { id, at, operation, method, path, status, project, durationMs } = request;
  return detailHeader({
    id,
    chip: statusChip(status),
    title: operation ?? `${method} ${path}`,
    actions,
    time: { at, nowMs: reading && nowOf(reading), project },
    more: html`<span>${latency(durationMs)}</span>`,
    close,
  });
}
