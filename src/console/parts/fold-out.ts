/** A `details` element whose content is rendered only while it is open. */
import { html, nothing, type TemplateResult } from 'lit';
import { PageElement } from '../element.ts';

class FoldOut extends PageElement {
  static override properties = {
    summary: { attribute: false },
    content: { attribute: false },
    isOpen: { attribute: false },
  };
  declare summary: TemplateResult;
  declare content: () => unknown;
  declare isOpen: boolean;

  protected override render(): TemplateResult {
    const toggle = ({ target }: Event): void => {
      this.isOpen = (target as HTMLDetailsElement).open;
    };
    return html`
      <details .open=${this.isOpen} @toggle=${toggle}>
        <summary>${this.summary}</summary>
        ${this.isOpen ? this.content() : nothing}
      </details>
    `;
  }
}

customElements.define('fold-out', FoldOut);

/** `isOpen` is the state at first; the user changes it. */
export function foldOut(summary: TemplateResult, content: () => unknown, isOpen = false): TemplateResult {
  return html`<fold-out .summary=${summary} .content=${content} .isOpen=${isOpen}></fold-out>`;
}
