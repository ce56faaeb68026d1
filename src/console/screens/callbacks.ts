/** What was sent, or is to be sent, about failures downstream: all of it, the inbox, where it goes, and one closely. */
import { html, type TemplateResult } from 'lit';
import { projects } from '../data/live.ts';
import { choose, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chooseProject, chosenProject } from '../parts/choose-project.ts';
import { type Tab, tabbed } from '../parts/tabs.ts';
import './callbacks.css';
import './callbacks-endpoint.ts';
import './callbacks-list.ts';
import './callbacks-one.ts';

const views: readonly Tab[] = [
  { name: 'all', title: 'All callbacks' },
  { name: 'inbox', title: 'Inbox' },
  { name: 'endpoint', title: 'Endpoint' },
];

class CallbacksScreen extends PageElement {
  private opened: string | undefined;

  constructor() {
    super();
    watch(this, route, projects);
  }

  /** Where a callback was opened or left, the focus goes along. */
  protected override updated(): void {
    const { callback = '' } = route.get().query;
    const before = this.opened;
    this.opened = callback;
    if (before === undefined || before === callback) return;
    const view = this.querySelector<PageElement>('callback-view');
    void Promise.resolve(view?.updateComplete).then(() => this.querySelector<HTMLElement>('h1')?.focus());
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { view = '', callback = '' } = route.get().query;
    if (project === undefined) return html`<h1>Callbacks</h1>${chooseProject('callbacks')}`;
    if (callback !== '') {
      return html`<callback-view .project=${project} .callbackId=${callback}></callback-view>`;
    }
    const chosen = views.find(({ name }) => name === view)?.name ?? 'all';
    const select = (name: string): void =>
      choose({ view: name === 'all' ? '' : name, state: '', type: '', q: '', page: '' });
    const panel =
      chosen === 'endpoint'
        ? html`<callback-endpoint .project=${project}></callback-endpoint>`
        : html`<callback-list .project=${project} .isInbox=${chosen === 'inbox'} .cameFrom=${this.opened ?? ''}></callback-list>`;
    return html`
      <h1 tabindex="-1">Callbacks</h1>
      ${tabbed({ label: 'Callbacks', tabs: views, chosen, choose: select }, panel)}
    `;
  }
}

customElements.define('callbacks-screen', CallbacksScreen);
