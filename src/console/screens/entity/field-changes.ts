/** Shows the changed fields of a record: the path, the old value and the new one. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { counted } from '../../parts/counted.ts';
import './field-changes.css';

type FieldChange = Schemas['FieldChange'];

/** Number of fields that are shown before the others are folded. */
const shownAtOnce = 8;
/** Maximum length of a shown value, in characters. The tooltip has more of it. */
const maxLength = 120;
const maxTitle = 2000;

export function fieldChanges(changes: readonly FieldChange[]): TemplateResult | typeof nothing {
  if (changes.length === 0) return nothing;
  const folded = changes.slice(shownAtOnce);
  return html`
    <div class="changes mono">${changes.slice(0, shownAtOnce).map(renderChange)}</div>
    ${
      folded.length === 0
        ? nothing
        : html`<details class="quiet">
            <summary>${counted(folded.length, 'more field')}</summary>
            <div class="changes mono">${folded.map(renderChange)}</div>
          </details>`
    }
  `;
}

function renderChange({ path, from, to }: FieldChange): TemplateResult {
  return html`
    <span class="path" title=${path}>${path.slice(1).replaceAll('/', '.')}</span>
    <span class="values">
      ${from === undefined ? nothing : html`<del title=${toText(from, maxTitle)}>${toText(from)}</del>`}
      ${from === undefined || to === undefined ? nothing : html`<span class="quiet" aria-hidden="true">→</span>`}
      ${to === undefined ? nothing : html`<ins title=${toText(to, maxTitle)}>${toText(to)}</ins>`}
    </span>
  `;
}

function toText(value: unknown, max = maxLength): string {
  const text = JSON.stringify(value);
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
