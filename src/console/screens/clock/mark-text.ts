/** What a mark on the axis says: when it is due, and its work. */
import { html, nothing, type TemplateResult } from 'lit';
import { instant, span } from '../../parts/times.ts';
import type { DueWork, Mark } from './due-work.ts';

/** Maximum number of lines. */
const maxLines = 6;

/** Screen readers read the name of the mark instead. */
export function markTooltip({ share, work, at }: Mark, now: number): TemplateResult {
  return html`
    <div class="tooltip ${share > 0.5 ? 'before' : ''}" .style=${left(share)} aria-hidden="true">
      <strong>${untilText(at, now)}</strong> <span class="quiet">${timeText(at)}</span>
      ${work.slice(0, maxLines).map(({ text }) => html`<div>${text}</div>`)}
      ${work.length > maxLines ? html`<div class="quiet">and ${work.length - maxLines} more</div>` : nothing}
    </div>
  `;
}

export function textOf(work: readonly DueWork[]): string {
  const texts = work.slice(0, maxLines).map(({ text }) => text);
  return [...texts, ...(work.length > maxLines ? [`${work.length - maxLines} more`] : [])].join('; ');
}

export function untilText(at: number, now: number): string {
  return at <= now ? 'now' : `in ${span(at - now)}`;
}

export function timeText(at: number): string {
  return instant(new Date(at).toISOString()).slice(11);
}

/** Positions an element on the axis. */
export function left(share: number): string {
  return `left: ${(share * 100).toFixed(3)}%`;
}
