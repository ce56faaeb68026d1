/** What a mark on the axis says: when it is due, and its work. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo } from '../../data/route.ts';
import { instant, span } from '../../parts/times.ts';
import { type DueWork, type Mark, type Outage, shareOf } from './due-work.ts';

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

/** Names a mark. The name has the number that the mark shows. */
export function nameOf({ at, work }: Mark, now: number): string {
  return `${untilText(at, now)}${work.length > 1 ? `, ${work.length} items` : ''}: ${textOf(work)}`;
}

function textOf(work: readonly DueWork[]): string {
  const texts = work.slice(0, maxLines).map(({ text }) => text);
  return [...texts, ...(work.length > maxLines ? [`${work.length - maxLines} more`] : [])].join('; ');
}

function untilText(at: number, now: number): string {
  return at <= now ? 'now' : `in ${span(at - now)}`;
}

export function timeText(at: number): string {
  return instant(new Date(at).toISOString()).slice(11);
}

/** A bar over the time span of a rule; nothing if that is not on the axis. */
export function outageBar(outage: Outage, now: number, length: number): TemplateResult | typeof nothing {
  const { text, scenario, from, to } = outage;
  const share = shareOf(outage, now, length);
  if (share === undefined) return nothing;
  const width = `width: ${((share.end - share.start) * 100).toFixed(3)}%`;
  const name = `${text}: ${from <= now ? 'since' : 'from'} ${timeText(from)}${to === undefined ? ', without end' : ` to ${timeText(to)}`}`;
  return html`<a class="outage" href=${linkTo('scenarios', { view: 'editor', edit: scenario })} title=${name} aria-label=${name} .style=${`${left(share.start)}; ${width}`}>${scenario}</a>`;
}

/** Positions an element on the axis. */
export function left(share: number): string {
  return `left: ${(share * 100).toFixed(3)}%`;
}
