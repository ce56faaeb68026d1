/** The frame of the console: header, navigation, current screen, login form and request drawer. */
import { html, nothing, type TemplateResult } from 'lit';
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js';
import { access } from './data/access.ts';
import { isLoginRequired } from './data/client.ts';
import { connection } from './data/events.ts';
import { hasFailure, projects, requests } from './data/live.ts';
import { linkTo, route, type ScreenName, screenNames } from './data/route.ts';
import { theme } from './data/theme.ts';
import { PageElement, watch } from './element.ts';
import { renderHead } from './frame-head.ts';
import { unknownProject } from './parts/choose-project.ts';
import './parts/login-form.ts';
import { notice } from './parts/notices.ts';
import './parts/request-drawer.ts';

interface Screen {
  readonly title: string;
  /** Loads the code of the screen, when the screen is opened for the first time. */
  readonly load: () => Promise<unknown>;
}

/** The screens in the order of the navigation. Each defines the element `NAME-screen`. */
const screens: Readonly<Record<ScreenName, Screen>> = {
  live: { title: 'Live', load: () => import('./screens/live/live.ts') },
  problems: { title: 'Problems', load: () => import('./screens/problems/problems.ts') },
  records: { title: 'Records', load: () => import('./screens/records/records.ts') },
  map: { title: 'Map', load: () => import('./screens/map/map.ts') },
  callbacks: { title: 'Callbacks', load: () => import('./screens/callbacks/callbacks.ts') },
  scenarios: { title: 'Scenarios', load: () => import('./screens/scenarios/scenarios.ts') },
  sweep: { title: 'Sweep', load: () => import('./screens/sweep/sweep.ts') },
  clock: { title: 'Clock and state', load: () => import('./screens/clock/clock.ts') },
  reference: { title: 'API reference', load: () => import('./screens/reference/reference.ts') },
  connect: { title: 'Connect', load: () => import('./screens/connect/connect.ts') },
};

class SandboxConsole extends PageElement {
  private readonly loaded = new Set<ScreenName>();

  constructor() {
    super();
    watch(this, route, projects, requests, connection, isLoginRequired, access, theme);
  }

  protected override render(): TemplateResult {
    const { screen: name } = route.get();
    const tag = unsafeStatic(`${name}-screen`);
    this.open(name);
    document.title = `${screens[name].title} · field-sandbox`;
    return html`
      <a class="skip button" href="#content" @click=${this.skip}>Skip to content</a>
      ${renderHead()}
      <nav class="screens" aria-label="Screens">
        ${screenNames.map(
          (one) => html`
            <a href=${linkTo(one)} aria-current=${one === name ? 'page' : nothing}>${screens[one].title}${this.renderCount(one)}</a>
          `,
        )}
      </nav>
      <main id="content" tabindex="-1">
        <div class="unknown" role="status">${isLoginRequired.get() ? nothing : unknownProject()}</div>
        ${isLoginRequired.get() ? html`<login-form></login-form>` : this.loaded.has(name) ? staticHtml`<${tag}></${tag}>` : nothing}
      </main>
      ${isLoginRequired.get() ? nothing : html`<request-drawer></request-drawer>`}
      <page-notices></page-notices>
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
    screens[name].load().then(
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
