/** A text editor with line numbers that shows errors at their lines and as a list. */
import { html, nothing, type TemplateResult } from 'lit';
import { PageElement } from '../../element.ts';
import { counted } from '../../parts/counted.ts';
import { type ParserError, toOffset } from './text.ts';
import './code.css';

/** `<scenario-code .value=… .errors=…>` dispatches `typed` after each change, and `save` at Ctrl+S. */
class ScenarioCode extends PageElement {
  static override properties = {
    value: { attribute: false },
    errors: { attribute: false },
    top: { state: true },
    left: { state: true },
  };
  declare value: string;
  declare errors: readonly ParserError[];
  /** Scroll position. */
  declare private top: number;
  declare private left: number;

  constructor() {
    super();
    this.value = '';
    this.errors = [];
    this.top = 0;
    this.left = 0;
  }

  /** Moves the cursor to an error. */
  private show(error: ParserError): void {
    const area = this.querySelector('textarea');
    if (!area) return;
    const at = toOffset(this.value, error);
    area.focus();
    area.setSelectionRange(at, at);
    const height = area.scrollHeight / this.value.split('\n').length;
    area.scrollTop = Math.max(0, (error.line - 4) * height);
  }

  protected override render(): TemplateResult {
    const lines = this.value.split('\n');
    const linesWithErrors = new Set(this.errors.map(({ line }) => line));
    const shift = `transform: translate(${-this.left}px, ${-this.top}px)`;
    return html`
      <div class="code">
        <div class="numbers" aria-hidden="true">
          <div .style=${`transform: translateY(${-this.top}px)`}>
            ${lines.map((_, index) => html`<span class=${linesWithErrors.has(index + 1) ? 'bad' : ''}>${index + 1}</span>`)}
          </div>
        </div>
        <div class="text">
          <div class="marks" aria-hidden="true" .style=${shift}>
            ${[...linesWithErrors]
              .filter((line) => line > 0)
              .map((line) =>
                mark(
                  line,
                  lines[line - 1] ?? '',
                  this.errors.filter((one) => one.line === line),
                ),
              )}
          </div>
          <textarea rows="22" wrap="off" spellcheck="false" autocapitalize="off" autocomplete="off"
            aria-label="Scenario text" aria-describedby="code-errors" aria-invalid=${this.errors.length > 0}
            .value=${this.value} @input=${this.onInput} @scroll=${this.onScroll} @keydown=${this.onKeyDown}></textarea>
        </div>
      </div>
      <div id="code-errors" role="status">${this.errors.length === 0 ? nothing : this.renderErrors()}</div>
    `;
  }

  private renderErrors(): TemplateResult {
    return html`
      <div class="note bad column">
        <p>Not saved: ${counted(this.errors.length, 'error')}. Your text is kept.</p>
        <ul class="errors">
          ${this.errors.map(
            (error) => html`
              <li>
                ${error.line === 0 ? nothing : html`<button @click=${() => this.show(error)}>Line ${error.line}, column ${error.column}</button>`}
                <span>${error.message}</span>
              </li>
            `,
          )}
        </ul>
      </div>
    `;
  }

  private onInput({ target }: Event): void {
    this.value = (target as HTMLTextAreaElement).value;
    this.dispatchEvent(new CustomEvent('typed', { detail: this.value }));
  }

  private onScroll({ target }: Event): void {
    const { scrollTop, scrollLeft } = target as HTMLTextAreaElement;
    this.top = scrollTop;
    this.left = scrollLeft;
  }

  private onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent('save'));
  }
}

/** Renders the errors after the end of their line. */
function mark(line: number, content: string, errors: readonly ParserError[]): TemplateResult {
  const place = `top: calc(${line - 1} * var(--line-height)); padding-left: calc(${content.length + 2} * 1ch)`;
  return html`<div .style=${place}><span>${errors.map(({ message }) => message).join(' · ')}</span></div>`;
}

customElements.define('scenario-code', ScenarioCode);
