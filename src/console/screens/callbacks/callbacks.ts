/** The callbacks screen: all callbacks of a project, its inbox, its endpoint, and the detail of one callback. */
import { html, type TemplateResult } from 'lit';
import { projects } from '../../data/live.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { type Tab, tabbed } from '../../parts/tabs.ts';
import './callbacks.css';
import './endpoint.ts';
import './list.ts';

const views: readonly Tab[] = [
  { name: 'all', title: 'All callbacks' },
  { name: 'inbox', title: 'Inbox' },
  { name: 'endpoint', title: 'Endpoint' },
];

/** Parameters that belong to one view. */
const selection = [
  'callback',
  'compare',
  'detail',
  'entity',
  'operation',
  'page',
  'q',
  'requestId',
  'sort',
  'state',
  'type',
];

class CallbacksScreen extends PageElement {
  constructor() {
    super();
    watch(this, route, projects);
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { view = '' } = route.get().query;
    if (project === undefined) return html`<h1>Callbacks</h1>${chooseProject('callbacks')}`;
    const chosen = views.find(({ name }) => name === view)?.name ?? 'all';
    const select = (name: string): void => {
      const cleared = Object.fromEntries(selection.map((parameter) => [parameter, '']));
      choose({ ...cleared, view: name === 'all' ? '' : name });
    };
    const panel =
      chosen === 'endpoint'
        ? html`<callback-endpoint .project=${project}></callback-endpoint>`
        : html`<callback-list .project=${project} .isInbox=${chosen === 'inbox'}></callback-list>`;
    return html`<h1>Callbacks</h1>${tabbed({ label: 'Callbacks', name: 'callbacks', tabs: views, chosen, choose: select }, panel)}`;
  }
}

customElements.define('callbacks-screen', CallbacksScreen);
