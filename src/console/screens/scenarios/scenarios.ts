/** The scenarios screen: a list of everything that can fail on purpose, and the editor of one scenario. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo, route } from '../../data/route.ts';
import { draft, nameOf } from '../../data/scenario-draft.ts';
import { PageElement, watch } from '../../element.ts';
import { icon } from '../../parts/icon.ts';
import { type CodeLoader, createCodeLoader } from '../../parts/load-code.ts';
import { openDraft } from '../../parts/open-draft.ts';
import './list/list.ts';
import './scenarios.css';

class ScenariosScreen extends PageElement {
  private readonly loadCode: CodeLoader = createCodeLoader(this);

  constructor() {
    super();
    watch(this, route, draft);
  }

  protected override render(): TemplateResult {
    const { view = '', edit = '' } = route.get().query;
    const isEditing = edit !== '' || view === 'editor';
    const placeholder = isEditing ? this.loadCode('editor', () => import('./editor/editor.ts')) : undefined;
    if (isEditing && placeholder === undefined) return html`<scenario-editor></scenario-editor>`;
    return html`
      <div class="row">
        <h1>Scenarios</h1>
        ${isEditing || draft.get() === '' ? nothing : html`<a class="push" href=${linkTo('scenarios', { edit: 'new' })}>Continue the unsaved ${nameOf(draft.get()) || 'scenario'}</a>`}
        ${isEditing ? nothing : html`<button type="button" class="main ${draft.get() === '' ? 'push' : ''}" @click=${() => openDraft('')}>${icon('plus')}New scenario</button>`}
      </div>
      ${placeholder ?? html`<scenario-list></scenario-list>`}
    `;
  }
}

customElements.define('scenarios-screen', ScenariosScreen);
