/** Shows a request as code in a language of choice. */
import { html, type TemplateResult } from 'lit';
import { PageElement } from '../../element.ts';
import { copyButton } from '../../parts/copy-button.ts';
import type { BuiltRequest } from './build-request.ts';
import { languages } from './code-samples.ts';

class CodeSamples extends PageElement {
  static override properties = {
    server: { attribute: false },
    request: { attribute: false },
    language: { state: true },
  };
  declare server: string;
  declare request: BuiltRequest;
  declare private language: string;

  constructor() {
    super();
    this.language = 'curl';
  }

  protected override render(): TemplateResult {
    const code = languages[this.language]?.(this.server, this.request) ?? '';
    const choose = (name: string) => () => {
      this.language = name;
    };
    return html`
      <section class="code-samples" aria-label="Code">
        <div class="row">
          <h3>Code</h3>
          <div class="row segments" role="group" aria-label="Language">
            ${Object.keys(languages).map((name) => html`<button type="button" aria-pressed=${name === this.language} @click=${choose(name)}>${name}</button>`)}
          </div>
          <span class="push">${copyButton('Copy', () => code)}</span>
        </div>
        <pre tabindex="0">${code}</pre>
      </section>
    `;
  }
}

customElements.define('code-samples', CodeSamples);
