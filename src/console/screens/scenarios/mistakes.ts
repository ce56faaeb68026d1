/** Lists the parser's errors, with a button that moves the cursor to each of them. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Mistake } from './text.ts';

export function renderMistakes(mistakes: readonly Mistake[], show: (mistake: Mistake) => void): TemplateResult {
  return html`<div id="code-mistakes" role="status">${mistakes.length === 0 ? nothing : renderList(mistakes, show)}</div>`;
}

function renderList(mistakes: readonly Mistake[], show: (mistake: Mistake) => void): TemplateResult {
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  return html`
    <div class="note bad column">
      <p>Not saved: ${count}. What you typed is still here.</p>
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
