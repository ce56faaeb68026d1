/** A group of options of which one is chosen, each as a chip: one click, arrow keys between them. */
import { html, type TemplateResult } from 'lit';

export interface Choices {
  /** Accessible name. */
  readonly label: string;
  /** Unique in the page. */
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly chosen: string;
  readonly choose: (value: string) => void;
}

export function choices({ label, name, options, chosen, choose }: Choices): TemplateResult {
  return html`
    <div class="option-chips" role="radiogroup" aria-label=${label}>
      ${options.map(
        (option) => html`
          <label class="option-chip">
            <input type="radio" name=${name} value=${option.value} .checked=${option.value === chosen} @change=${() => choose(option.value)} />
            <span>${option.label}</span>
          </label>
        `,
      )}
    </div>
  `;
}
