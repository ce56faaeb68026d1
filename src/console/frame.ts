/** The frame of the console: header, navigation, current screen, login form and request drawer. */
import { html, nothing, type TemplateResult } from 'lit';
import { locked } from './data/client.ts';
import { connection } from './data/events.ts';
import { hasFailure, projects, requests } from './data/live.ts';
import { linkTo, route, type ScreenName } from './data/route.ts';
import { theme } from './data/theme.ts';
import { PageElement, watch } from './element.ts';
import { renderHead } from './frame-head.ts';
import { unknownProject } from './parts/choose-project.ts';
import './parts/login-form.ts';
import { notice } from './parts/notices.ts';
import './parts/request-drawer.ts';

interface Screen {
  readonly name: ScreenName;
  readonly title: string;
  /** Loads the code of the screen, when the screen is opened for the first time. */
  readonly load: () => Promise<unknown>;
  readonly show: () => TemplateResult;
}

const screens: readonly Screen[] = [
  {
    name: 'live',
    title: 'Live',
    load: () => import('./screens/live/live.ts'),
    show: () => html`<live-screen></live-screen>`,
  },
  {
    name: 'problems',
    title: 'Problems',
    load: () => import('./screens/problems/problems.ts'),
    show: () => html`<problems-screen></problems-screen>`,
  },
  {
    name: 'records',
    title: 'Records',
    load: () => import('./screens/records/records.ts'),
    show: () => html`<records-screen></records-screen>`,
  },
  {
    name: 'map',
    title: 'Map',
    load: () => import('./screens/map/map.ts'),
    show: () => html`<map-screen></map-screen>`,
  },
  {
    name: 'callbacks',
    title: 'Callbacks',
    load: () => import('./screens/callbacks/callbacks.ts'),
    show: () => html`<callbacks-screen></callbacks-screen>`,
  },
  {
    name: 'scenarios',
    title: 'Scenarios',
    load: () => import('./screens/scenarios/scenarios.ts'),
    show: () => html`<scenarios-screen></scenarios-screen>`,
  },
  {
    name: 'clock',
    title: 'Clock and state',
    load: () => import('./screens/clock/clock.ts'),
    show: () => html`<clock-screen></clock-screen>`,
  },
  {
    name: 'reference',
    title: 'API reference',
    load: () => import('./screens/reference/reference.ts'),
    show: () => html`<reference-screen></reference-screen>`,
  },
  {
    name: 'connect',
    title: 'Connect',
    load: () => import('./screens/connect/connect.ts'),
    show: () => html`<connect-screen></connect-screen>`,
  },
];

class SandboxConsole extends PageElement {
  private readonly loaded = new Set<ScreenName>();

  constructor() {
    super();
    watch(this, route, projects, requests, connection, locked, theme);
  }

  protected override render(): TemplateResult {
    const { screen: name } = route.get();
    const screen = screens.find((one) => one.name === name) as Screen;
    this.open(screen);
    document.title = `${screen.title} · field-sandbox`;
    return html`
      <a class="skip button" href="#content" @click=${this.skip}>Skip to content</a>
      ${renderHead()}
      <nav class="screens" aria-label="Screens">
        ${screens.map(
          ({ name, title }) => html`
            <a href=${linkTo(name)} aria-current=${name === screen.name ? 'page' : nothing}>${title}${this.renderCount(name)}</a>
          `,
        )}
      </nav>
      <main id="content" tabindex="-1">
        <div class="unknown" role="status">${locked.get() ? nothing : unknownProject()}</div>
        ${locked.get() ? html`<login-form></login-form>` : this.loaded.has(screen.name) ? screen.show() : nothing}
      </main>
      <request-drawer></request-drawer>
      <page-notices></page-notices>
    `;
  }

  /** Renders the number of failed requests or of callbacks next to the screen's name. */
  private renderCount(name: ScreenName): TemplateResult | typeof nothing {
    const { project = '' } = route.get().query;
    const isShown = (id: string | null): boolean => project === '' || id === project;
    const count =
      name === 'problems'
        ? requests.get().items.filter((request) => isShown(request.project) && hasFailure(request)).length
        : name === 'callbacks'
          ? projects.get().reduce((sum, { id, counts }) => sum + (isShown(id) ? counts.callbacks : 0), 0)
          : 0;
    if (count === 0) return nothing;
    const what = name === 'problems' ? 'requests' : 'callbacks';
    return html` <span class="count">${count}<span class="unseen"> ${what}</span></span>`;
  }

  private open(screen: Screen): void {
    if (this.loaded.has(screen.name)) return;
    screen.load().then(
      () => {
        this.loaded.add(screen.name);
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
