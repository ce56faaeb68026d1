/** The ready-made scenarios above a new one. */
import { html, type TemplateResult } from 'lit';
import { route } from '../../../data/route.ts';
import { openDraft } from '../../../parts/open-draft.ts';
import { starters } from '../starters.ts';

export function renderStarters(): TemplateResult {
  const { from } = route.get().query;
  return html`
    <div class="row starters">
      <span class="quiet">Start with</span>
      <div class="option-chips" role="group" aria-label="Start with">
        ${starters.map(
          ({ name, title }) => html`
            <button type="button" class="option-chip" aria-pressed=${name === from} @click=${() => openDraft('', name)}>${title.replace(/^./, (letter) => letter.toUpperCase())}</button>
          `,
        )}
      </div>
    </div>
  `;
}
