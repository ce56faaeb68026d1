/** Icons by name. Add a line to icon-shapes.ts to use one more: the build contains only these. */
import type { TemplateResult } from 'lit';
import { html, unsafeStatic } from 'lit/static-html.js';
import { shapes } from './icon-shapes.ts';

export type IconName = keyof typeof shapes;

/** Made once: all uses of an icon share one template. */
const made = new Map<IconName, TemplateResult>();

/** Renders an icon of 16 pixels in the color of its text. Screen readers skip it. */
export function icon(name: IconName): TemplateResult {
  const known = made.get(name);
  if (known) return known;
  const result = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${unsafeStatic(shapes[name])}</svg>`;
  made.set(name, result);
  return result;
}
