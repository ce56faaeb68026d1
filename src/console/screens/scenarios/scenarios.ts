/** The scenarios screen: the library, the editor, and the catalog of failures. */
import { html, type TemplateResult } from 'lit';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { type Tab, tabbed } from '../../parts/tabs.ts';
import './scenarios.css';
import './catalog.ts';
import './editor.ts';
import './library.ts';

const views: readonly Tab[] = [
  { name: 'library', title: 'Library' },
  { name: 'editor', title: 'Editor' },
  { name: 'catalog', title: 'Failure catalog' },
];

class ScenariosScreen extends PageElement {
  constructor() {
    super();
    watch(this, route);
  }

  protected override render(): TemplateResult {
    const { view = '', edit = '' } = route.get().query;
    // A link to the editor may name only the scenario to open.
    const chosen = views.find(({ name }) => name === view)?.name ?? (edit === '' ? 'library' : 'editor');
    return html`
      <h1>Scenarios</h1>
      ${tabbed(
        { label: 'Scenarios', tabs: views, chosen, choose: (name) => choose({ view: name, q: '' }) },
        toView(chosen),
      )}
    `;
  }
}

function toView(name: string): TemplateResult {
  if (name === 'editor') return html`<scenario-editor></scenario-editor>`;
  if (name === 'catalog') return html`<scenario-catalog></scenario-catalog>`;
  return html`<scenario-library></scenario-library>`;
}

customElements.define('scenarios-screen', ScenariosScreen);
