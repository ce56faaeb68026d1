/** The callbacks screen: all callbacks of a project, its inbox, its endpoint, and the details of one callback. */
import { html, type TemplateResult } from 'lit';
import { projects } from '../../data/live.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { type Tab, tabbed } from '../../parts/tabs.ts';
import './callbacks.css';
import './endpoint.ts';
import './list.ts';
import './callback.ts';

const views: readonly Tab[] = [
  { name: 'all', title: 'All callbacks' },
  { name: 'inbox', title: 'Inbox' },
  { name: 'endpoint', title: 'Endpoint' },
];

class CallbacksScreen extends PageElement {
  private openId: string | undefined;

  constructor() {
    super();
    watch(this, route, projects);
  }

  /** Moves the focus when a callback was opened or closed. */
  protected override updated(): void {
    const { callback = '' } = route.get().query;
    const previous = this.openId;
    this.openId = callback;
    if (previous === undefined || previous === callback) return;
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
        : html`<callback-list .project=${project} .isInbox=${chosen === 'inbox'} .previousId=${this.openId ?? ''}></callback-list>`;
    return html`
      <h1 tabindex="-1">Callbacks</h1>
      ${tabbed({ label: 'Callbacks', tabs: views, chosen, choose: select }, panel)}
    `;
  }
}

customElements.define('callbacks-screen', CallbacksScreen);
