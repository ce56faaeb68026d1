/** Selects the scenario to edit, and shows whether its text is saved. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose } from '../../data/route.ts';
import type { Summary } from './data.ts';

export interface Choice {
  readonly opened: string;
  readonly found: Summary | undefined;
  readonly library: readonly Summary[];
  /** Discards the changes. Undefined if all changes are saved. */
  readonly discard: (() => void) | undefined;
}

export function renderChoice({ opened, found, library, discard }: Choice): TemplateResult {
  const open = ({ target }: Event): void => choose({ view: 'editor', edit: (target as HTMLSelectElement).value });
  return html`
    <div class="row">
      <label>
        Open
        <select class="open" @change=${open}>
          <option value="new" ?selected=${opened === 'new'}>New scenario</option>
          ${library.map(({ name }) => html`<option value=${name} ?selected=${name === opened}>${name}</option>`)}
        </select>
      </label>
      ${discard ? html`<span class="chip warn">not saved</span><button @click=${discard}>Discard changes</button>` : nothing}
      ${
        found && found.source !== 'control'
          ? html`<span class="quiet">Your saved version takes precedence over the file. The file is not changed.</span>`
          : nothing
      }
    </div>
  `;
}
