/** What the map shows at the pointer: the name of an item, and what it is or when it was there. */
import { instant } from '../../parts/times.ts';
import type { Hit } from './hit.ts';
import { whereabouts } from './whereabouts.ts';

/** Returns an element, because Leaflet parses a text as HTML. `time` is that of the slider. */
export function label({ item, at }: Hit, time: number | undefined): HTMLElement {
  const element = document.createElement('span');
  const name = document.createElement('strong');
  name.textContent = item.title;
  element.append(name);
  for (const text of item.kind === 'device' ? linesOf({ item, at }, time) : [item.detail]) {
    element.append(document.createElement('br'), text.length > 80 ? `${text.slice(0, 80)}…` : text);
  }
  return element;
}

function linesOf({ item, at }: Hit, time: number | undefined): readonly string[] {
  const { place, at: since } = whereabouts(item, at ?? time);
  return since === undefined ? [place] : [`${instant(since)} UTC`, place];
}
