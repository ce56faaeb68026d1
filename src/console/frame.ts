/** The frame of the console: header, navigation, current screen, login form and request drawer. */
import { html, nothing, type TemplateResult } from 'lit';
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js';
import { access } from './data/access.ts';
import { isLoginRequired } from './data/client.ts';
import { connection } from './data/events.ts';
import { hasFailure, projects, requests } from './data/live.ts';
import { linkTo, route, type ScreenName } from './data/route.ts';
import { theme } from './data/theme.ts';
import { PageElement, watch } from './element.ts';
import { renderHead } from './frame-head.ts';
import { unknownProject } from './parts/choose-project.ts';
import './parts/login-form.ts';
import { icon } from './parts/icon.ts';
import { notice } from './parts/notices.ts';
import './parts/request-drawer.ts';
import { skeleton } from './parts/skeleton.ts';
import { groups, screens } from './screens.ts';

class SandboxConsole extends PageElement {
  private readonly loaded = new Set<ScreenName>();

  constructor() {
    super();
    watch(this, route, projects, requests, connection, isLoginRequired, access, theme);
  }

  protected override render(): TemplateResult {
    const { screen: routed } = route.get();
    const name = screens[routed] ? routed : 'live';
    const { title } = screens[name] ?? screens.live;
    const tag = unsafeStatic(`${name}-screen`);
    this.open(name);
    document.title = `${title} · field-sandbox`;
    return html`
      <a class="skip button" href="#content" @click=${this.skip}>Skip to content</a>
      ${renderHead()}
      <nav class="screens" aria-label="Screens">
        ${groups.map(({ title, screens: names }) => html`<h2>${title}</h2>${names.map((one) => this.renderLink(one, one === name))}`)}
      </nav>
      <main id="content" tabindex="-1">
        <div class="unknown" role="status">${isLoginRequired.get() ? nothing : unknownProject()}</div>
        ${isLoginRequired.get() ? html`<login-form></login-form>` : this.loaded.has(name) ? staticHtml`<${tag}></${tag}>` : html`<div>${skeleton()}</div>`}
      </main>
      ${isLoginRequired.get() ? nothing : html`<request-drawer></request-drawer>`}
      <page-notices></page-notices>
    `;
  }

  private renderLink(name: ScreenName, isCurrent: boolean): TemplateResult | typeof nothing {
    const screen = screens[name];
    if (!screen) return nothing;
    return html`
      <a href=${linkTo(name)} aria-current=${isCurrent ? 'page' : nothing}>${icon(screen.icon)}<span class="title">${screen.title}</span>${this.renderCount(name)}</a>
    `;
  }

  /** Renders the number of failed requests or of callbacks next to the screen's name. */
  private renderCount(name: ScreenName): TemplateResult | typeof nothing {
    const { project = '' } = route.get().query;
    const isShown = (id: string | null): boolean => project === '' || id === project;
    const count =
      name === 'problems'
        ? requests.get().filter((request) => isShown(request.project) && hasFailure(request)).length
        : name === 'callbacks'
          ? projects.get().reduce((sum, { id, counts }) => sum + (isShown(id) ? counts.callbacks : 0), 0)
          : 0;
    if (count === 0) return nothing;
    const what = name === 'problems' ? 'requests' : 'callbacks';
    return html` <span class="count">${count}<span class="unseen"> ${what}</span></span>`;
  }

  private open(name: ScreenName): void {
    if (this.loaded.has(name)) return;
    (screens[name] ?? screens.live).load().then(
      () => {
        this.loaded.add(name);
        this.requestUpdate();
      },
      () => notice('bad', 'Cannot load this screen. Check that the sandbox is running.'),
    );
  }

  private skip(event: Event): void {
    event.preventDefault();
    document.getElementById('content')?.focus();
  }
}

customElements.define('sandbox-console', SandboxConsole);
