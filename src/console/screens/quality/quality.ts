/** The quality screen: what the integration has met, what it has not, and what it does not survive. */
import { html, nothing, type TemplateResult } from 'lit';
import { toMatrix } from '../../../sweep-report/matrix.ts';
import { linkTo, projectInUrl, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { type CodeLoader, createCodeLoader } from '../../parts/load-code.ts';
import { findFailed } from './sweep/cells.ts';
import { loaded, loadedReport } from './sweep/loaded.ts';
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
  overview: {
    title: 'Overview',
    about: 'What your integration has met, what it has not, and what it does not survive, with the next step for each.',
    load: () => import('./overview/overview.ts'),
    render: () => html`<quality-overview></quality-overview>`,
  },
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
  sweep: {
    title: 'Sweep',
    about: 'What your client does not survive: the result of running your tests once for each failure.',
    load: () => import('./sweep/sweep.ts'),
    render: () => html`<quality-sweep></quality-sweep>`,
  },
};

/** Returns the name of the chosen tab. */
export function chosenTab(): string {
  const { tab = '' } = route.get().query;
  return Object.hasOwn(tabs, tab) ? tab : 'overview';
}

/** Returns the number of cells that the client does not survive, if a file was chosen. */
function countFailed(): string | undefined {
  const report = loadedReport();
  return report && findFailed(toMatrix(report)).length.toLocaleString('en');
}

class QualityScreen extends PageElement {
  private readonly loadCode: CodeLoader = createCodeLoader(this);

  constructor() {
    super();
    watch(this, route, tabCounts, loaded);
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
          const count = name === 'sweep' ? countFailed() : countOf(name, projectInUrl());
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
