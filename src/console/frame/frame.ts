/** The frame of the console: bar, navigation, current screen and login form. */
import { html, nothing, type TemplateResult } from 'lit';
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js';
import { access } from '../data/access.ts';
import { connection } from '../data/events.ts';
import { projects } from '../data/live.ts';
import { noteRecentProjects } from '../data/recent-projects.ts';
import { route, type ScreenName } from '../data/route.ts';
import { isLoginRequired } from '../data/session-end.ts';
import { theme } from '../data/theme.ts';
import { PageElement, watch } from '../element.ts';
import { unknownProject } from '../parts/choose-project.ts';
import { icon } from '../parts/icon.ts';
import { type CodeLoader, createCodeLoader } from '../parts/load-code.ts';
import '../parts/login-form.ts';
import '../parts/notices.ts';
import { screens } from '../screens.ts';
import { renderBar } from './bar.ts';
import { startKeys } from './keys.ts';
import './navigation.ts';

class SandboxConsole extends PageElement {
  private readonly loadCode: CodeLoader = createCodeLoader(this);

  constructor() {
    super();
    watch(this, route, projects, connection, isLoginRequired, access, theme);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    startKeys();
    noteRecentProjects();
  }

  /** The screen of the route, or the first one if its screen does not exist. */
  private get current(): ScreenName {
    const { screen } = route.get();
    return screens[screen] ? screen : 'live';
  }

  protected override render(): TemplateResult {
    const name = this.current;
    const placeholder = this.loadCode(name, (screens[name] ?? screens.live).load);
    document.title = `${(screens[name] ?? screens.live).title} · field-sandbox`;
    const isLogin = isLoginRequired.get();
    return html`
      <a class="skip button" href="#content" @click=${this.skip}>Skip to content</a>
      ${renderBar()}
      <page-navigation .current=${name}></page-navigation>
      <main id="content" tabindex="-1">
        ${connection.get() === 'lost' && !isLogin ? html`<div class="banner" role="alert">${icon('unplug')}Disconnected. Reconnecting…</div>` : nothing}
        <div class="unknown" role="status">${isLogin ? nothing : unknownProject()}</div>
        ${isLogin ? html`<login-form></login-form>` : placeholder ? html`<div>${placeholder}</div>` : renderScreen(name)}
      </main>
      <page-notices></page-notices>
    `;
  }

  private skip(event: Event): void {
    event.preventDefault();
    document.getElementById('content')?.focus();
  }
}

function renderScreen(name: ScreenName): TemplateResult {
  const tag = unsafeStatic(`${name}-screen`);
  return staticHtml`<${tag}></${tag}>`;
}

customElements.define('sandbox-console', SandboxConsole);
