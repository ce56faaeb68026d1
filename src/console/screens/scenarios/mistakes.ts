/** Lists the parser's errors, with a button that moves the cursor to each of them. */
import { html, nothing, type TemplateResult } from 'lit';
import { counted } from '../../parts/counted.ts';
import type { Mistake } from './text.ts';

export function renderMistakes(mistakes: readonly Mistake[], show: (mistake: Mistake) => void): TemplateResult {
  return html`<div id="code-mistakes" role="status">${mistakes.length === 0 ? nothing : renderList(mistakes, show)}</div>`;
}

function renderList(mistakes: readonly Mistake[], show: (mistake: Mistake) => void): TemplateResult {
  return html`
    <div class="note bad column">
      <p>Not saved: ${counted(mistakes.length, 'error')}. Your text is kept.</p>
      <ul class="mistakes">
        ${mistakes.map(
          (mistake) => html`
            <li>
              ${mistake.line === 0 ? nothing : html`<button @click=${() => show(mistake)}>Line ${mistake.line}, column ${mistake.column}</button>`}
              <span>${mistake.message}</span>
            </li>
          `,
        )}
      </ul>
    </div>
  `;
}
