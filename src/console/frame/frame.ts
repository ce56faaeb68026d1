/** The frame of the console: bar, navigation, current screen, login form and request drawer. */
import { html, nothing, type TemplateResult } from 'lit';
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js';
import { access } from '../data/access.ts';
import { isLoginRequired } from '../data/client.ts';
import { connection, listen } from '../data/events.ts';
import { projects } from '../data/live.ts';
import { noteRecentProjects } from '../data/recent-projects.ts';
import { route, type ScreenName } from '../data/route.ts';
import { theme } from '../data/theme.ts';
import { PageElement, watch } from '../element.ts';
import { unknownProject } from '../parts/choose-project.ts';
import { empty } from '../parts/empty.ts';
import { icon } from '../parts/icon.ts';
import '../parts/login-form.ts';
import '../parts/notices.ts';
import '../parts/request-drawer.ts';
import { skeleton } from '../parts/skeleton.ts';
import { screens } from '../screens.ts';
import { renderBar } from './bar.ts';
import { startKeys } from './keys.ts';
import './navigation.ts';

class SandboxConsole extends PageElement {
  /** What became of the code of each screen that was opened. */
  private readonly states = new Map<ScreenName, 'loading' | 'loaded' | 'failed'>();

  constructor() {
    super();
    watch(this, route, projects, connection, isLoginRequired, access, theme);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    startKeys();
    noteRecentProjects();
    // After a lost connection, a screen whose code could not be loaded is tried again.
    listen((event) => {
      if (event.kind === 'missed') this.open(this.current, true);
    });
  }

  /** The screen of the route, or the first one if its screen does not exist. */
  private get current(): ScreenName {
    const { screen } = route.get();
    return screens[screen] ? screen : 'live';
  }

  protected override render(): TemplateResult {
    const name = this.current;
    this.open(name);
    document.title = `${(screens[name] ?? screens.live).title} · field-sandbox`;
    const isLogin = isLoginRequired.get();
    return html`
      <a class="skip button" href="#content" @click=${this.skip}>Skip to content</a>
      ${renderBar()}
      <page-navigation .current=${name}></page-navigation>
      <main id="content" tabindex="-1">
        ${connection.get() === 'lost' && !isLogin ? html`<div class="banner" role="alert">${icon('unplug')}Disconnected. Reconnecting…</div>` : nothing}
        <div class="unknown" role="status">${isLogin ? nothing : unknownProject()}</div>
        ${isLogin ? html`<login-form></login-form>` : this.renderScreen(name)}
      </main>
      ${isLogin ? nothing : html`<request-drawer></request-drawer>`}
      <page-notices></page-notices>
    `;
  }

  private renderScreen(name: ScreenName): TemplateResult {
    const tag = unsafeStatic(`${name}-screen`);
    switch (this.states.get(name)) {
      case 'loaded':
        return staticHtml`<${tag}></${tag}>`;
      case 'failed':
        return html`<div>${empty('This screen could not be loaded', html`<button @click=${() => location.reload()}>Load again</button>`)}</div>`;
      default:
        return html`<div>${skeleton()}</div>`;
    }
  }

  private open(name: ScreenName, again = false): void {
    const state = this.states.get(name);
    if (state !== undefined && !(again && state === 'failed')) return;
    const set = (next: 'loading' | 'loaded' | 'failed'): void => {
      this.states.set(name, next);
      this.requestUpdate();
    };
    this.states.set(name, 'loading');
    (screens[name] ?? screens.live).load().then(
      () => set('loaded'),
      () => set('failed'),
    );
  }

  private skip(event: Event): void {
    event.preventDefault();
    document.getElementById('content')?.focus();
  }
}

customElements.define('sandbox-console', SandboxConsole);
