/** Bars on a common span of time: the steps of a request, and the attempts of a callback. */
import { html, nothing, type TemplateResult } from 'lit';
import { span } from './times.ts';

/** Positions in percent. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  /** Class names of the bar. */
  readonly kind: string;
  /** Where the wait before the bar begins, which is a thin line. */
  readonly waitFrom?: number;
  readonly title?: string;
}

export function timeScale(lengthMs: number): TemplateResult {
  return html`<div class="scale" aria-hidden="true"><span></span><span class="row"><span>0</span><span class="push">${span(lengthMs)}</span></span></div>`;
}

export function timeBar({ from, to, kind, waitFrom, title }: Bar): TemplateResult {
  const wait =
    waitFrom === undefined
      ? nothing
      : html`<span class="wait" .style=${`--from: ${waitFrom}%; --width: ${Math.max(0, from - waitFrom)}%`}></span>`;
  return html`<span class="lane" title=${title ?? nothing}>${wait}<span class="extent ${kind}" .style=${`--from: ${from}%; --width: ${to - from}%`}></span></span>`;
}
