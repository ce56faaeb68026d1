/** Which scenario is open in the editor, and how its text stands to what is kept. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose } from '../data/route.ts';
import type { Summary } from './scenarios-data.ts';

export interface Choice {
  readonly opened: string;
  readonly found: Summary | undefined;
  readonly library: readonly Summary[];
  /** There only where something was typed that is not saved. */
  readonly takeBack: (() => void) | undefined;
}

export function renderChoice({ opened, found, library, takeBack }: Choice): TemplateResult {
  const open = ({ target }: Event): void => choose({ view: 'editor', edit: (target as HTMLSelectElement).value });
  return html`
    <div class="row">
      <label>
        Open
        <select class="open" @change=${open}>
          <option value="new" ?selected=${opened === 'new'}>a new one</option>
          ${library.map(({ name }) => html`<option value=${name} ?selected=${name === opened}>${name}</option>`)}
        </select>
      </label>
      ${takeBack ? html`<span class="chip warn">not saved</span><button @click=${takeBack}>Take changes back</button>` : nothing}
      ${
        found && found.source !== 'control'
          ? html`<span class="quiet">Saving keeps your version in front of the file, which stays as it is.</span>`
          : nothing
      }
    </div>
  `;
}
