/** The text of a scenario in an editor, which is loaded when it opens. */
import { html, type PropertyValues, type TemplateResult } from 'lit';
import { PageElement } from '../../../element.ts';
import { notice } from '../../../parts/notices.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import type { Schema } from '../schema.ts';
import type { TextEditor, TextIssue } from './codemirror.ts';
import type { LineHint } from './hints.ts';

/** `<scenario-code .text=… .issues=…>` dispatches `typed` after each change, and `save` at Ctrl+S. */
class ScenarioCode extends PageElement {
  static override properties = {
    text: { attribute: false },
    issues: { attribute: false },
    hints: { attribute: false },
    schema: { attribute: false },
  };
  declare text: string;
  declare issues: readonly TextIssue[];
  declare hints: readonly LineHint[];
  declare schema: Schema | undefined;
  private editor: TextEditor | undefined;

  constructor() {
    super();
    this.text = '';
    this.issues = [];
    this.hints = [];
  }

  show(position: Pick<TextIssue, 'line' | 'column'>): void {
    this.editor?.show(position);
  }

  focusText(): void {
    this.editor?.focus();
  }

  protected override render(): TemplateResult {
    // The root of the editor hides the skeleton.
    return html`<div class="code-host">${skeleton(8)}</div>`;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.editor?.destroy();
    this.editor = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.open();
  }

  private async open(): Promise<void> {
    try {
      const { createTextEditor } = await import('./codemirror.ts');
      await this.updateComplete;
      const host = this.querySelector('.code-host');
      if (!this.isConnected || this.editor || !host) return;
      const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
      this.editor = createTextEditor({
        root,
        text: this.text,
        label: 'Scenario text',
        schema: () => this.schema,
        onChange: (text) => {
          this.text = text;
          this.dispatchEvent(new CustomEvent('typed', { detail: text }));
        },
        onSave: () => this.dispatchEvent(new CustomEvent('save')),
      });
      this.editor.setIssues(this.issues);
      this.editor.setHints(this.hints);
    } catch {
      notice('bad', 'Cannot load the editor. Check that the sandbox is running.');
    }
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('text')) this.editor?.setText(this.text);
    if (changed.has('issues')) this.editor?.setIssues(this.issues);
    if (changed.has('hints')) this.editor?.setHints(this.hints);
  }
}

customElements.define('scenario-code', ScenarioCode);

export type { ScenarioCode };
