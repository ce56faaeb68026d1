/** The quality screen: what went wrong, and what the integration has met and has not. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo, projectInUrl, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { type CodeLoader, createCodeLoader } from '../../parts/load-code.ts';
import { countOf, tabCounts } from './tab-counts.ts';
import './quality.css';

interface Tab {
  readonly title: string;
  /** What the tab shows, in one sentence. */
  readonly about: string;
  /** Loads the code of the tab. */
  readonly load: () => Promise<unknown>;
  readonly render: () => TemplateResult;
}

const tabs: Readonly<Record<string, Tab>> = {
  problems: {
    title: 'Problems',
    about: 'What went wrong, grouped by cause, with the next step for each.',
    load: () => import('./problems/problems.ts'),
    render: () => html`<quality-problems></quality-problems>`,
  },
  coverage: {
    title: 'Coverage',
    about: 'What your clients have met of all operations, failures and callback conditions, and how to meet the rest.',
    load: () => import('./coverage/coverage.ts'),
    render: () => html`<quality-coverage></quality-coverage>`,
  },
};

/** Returns the name of the chosen tab. */
function chosenTab(): string {
  const { tab = '' } = route.get().query;
  return Object.hasOwn(tabs, tab) ? tab : 'problems';
}

class QualityScreen extends PageElement {
  private readonly loadCode: CodeLoader = createCodeLoader(this);

  constructor() {
    super();
    watch(this, route, tabCounts);
  }

  protected override render(): TemplateResult {
    const chosen = chosenTab();
    const tab = tabs[chosen];
    return html`
      <div>
        <h1>Quality</h1>
        <p class="quiet">${tab?.about}</p>
      </div>
      <nav class="quality-tabs" aria-label="Quality">
        ${Object.entries(tabs).map(([name, { title }]) => {
          const count = countOf(name, projectInUrl());
          return html`
            <a href=${linkTo('quality', { tab: name })} aria-current=${name === chosen ? 'page' : nothing}>
              ${title}${count === undefined ? nothing : html` <span class="count">${count}</span>`}
            </a>
          `;
        })}
      </nav>
      ${tab && (this.loadCode(chosen, tab.load) ?? tab.render())}
    `;
  }
}

customElements.define('quality-screen', QualityScreen);
