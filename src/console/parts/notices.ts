/** Short notices of success or failure. Screen readers announce them, and they disappear after a few seconds. */
import { html, nothing, type TemplateResult } from 'lit';
import { toStore } from '../data/store.ts';
import { PageElement, watch } from '../element.ts';
import { notices as shown } from '../state.ts';
import { icon } from './icon.ts';
import './notices.css';

export { attempt, notice } from '../state.ts';

const notices = toStore(shown);

/** Renders an error on a screen, or nothing if the text is empty. */
export function errorNote(text: string): TemplateResult | typeof nothing {
  return text === '' ? nothing : html`<p class="note bad" role="alert">${text}</p>`;
}

class PageNotices extends PageElement {
  constructor() {
    super();
    watch(this, notices);
  }

  protected override render(): TemplateResult {
    return html`<div role="status" aria-label="Notices" class="notices">
      ${notices.get().map(({ kind, text }) => html`<p class="note"><span class=${kind} role="img" aria-label=${kind === 'good' ? 'Success' : 'Error'}>${icon(kind === 'good' ? 'circle-check' : 'circle-alert')}</span>${text}</p>`)}
    </div>`;
  }
}

customElements.define('page-notices', PageNotices);
