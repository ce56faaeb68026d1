/** The scenarios screen: a list of everything that can fail on purpose, and the editor of one scenario. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo, route } from '../../data/route.ts';
import { draft } from '../../data/scenario-draft.ts';
import { createStore, type Store } from '../../data/store.ts';
import { PageElement, watch } from '../../element.ts';
import { confirmed } from '../../parts/confirm.ts';
import { icon } from '../../parts/icon.ts';
import { notice } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import './list/list.ts';
import './scenarios.css';
import { nameOf } from './text.ts';

/** Whether the code of the editor is loaded: it loads when an editor opens. */
const isEditorLoaded: Store<boolean> = createStore(false);

class ScenariosScreen extends PageElement {
  constructor() {
    super();
    watch(this, route, draft, isEditorLoaded);
  }

  protected override render(): TemplateResult {
    const { view = '', edit = '' } = route.get().query;
    const isEditing = edit !== '' || view === 'editor';
    if (isEditing) loadEditor();
    if (isEditing && isEditorLoaded.get()) return html`<scenario-editor></scenario-editor>`;
    return html`
      <div class="row">
        <h1>Scenarios</h1>
        ${isEditing || draft.get() === '' ? nothing : html`<a class="push" href=${linkTo('scenarios', { edit: 'new' })}>Continue the unsaved ${nameOf(draft.get()) || 'scenario'}</a>`}
        ${isEditing ? nothing : html`<button type="button" class="main ${draft.get() === '' ? 'push' : ''}" @click=${openNew}>${icon('plus')}New scenario</button>`}
      </div>
      ${isEditing ? skeleton() : html`<scenario-list></scenario-list>`}
    `;
  }
}

async function openNew(): Promise<void> {
  const name = nameOf(draft.get()) || 'scenario';
  const question = {
    title: `Discard the unsaved ${name}?`,
    text: 'A new scenario replaces it.',
    action: 'Discard',
    isDanger: true,
  };
  if (draft.get() !== '' && !(await confirmed(question))) return;
  draft.set('');
  location.hash = linkTo('scenarios', { edit: 'new' });
}

function loadEditor(): void {
  if (isEditorLoaded.get()) return;
  import('./editor/editor.ts').then(
    () => isEditorLoaded.set(true),
    () => notice('bad', 'Cannot load the editor. Check that the sandbox is running.'),
  );
}

customElements.define('scenarios-screen', ScenariosScreen);
