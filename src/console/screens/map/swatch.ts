/** The sign of an item in the list, in the color and form that it has on the map. */
import { html, type TemplateResult } from 'lit';
import type { MapItem } from './items.ts';

export function swatch({ kind, color, stop }: MapItem): TemplateResult {
  const colorClass = color === undefined ? 'no-driver' : `driver-${color + 1}`;
  if (kind !== 'job' || stop === undefined) {
    return html`<span class="swatch ${kind} ${colorClass}" aria-hidden="true"></span>`;
  }
  return html`<span class="swatch numbered ${colorClass}"><span class="unseen">stop </span>${stop}</span>`;
}
