/** The bar at the top: project, search, clock, connection, link, theme and help. */
import { html, nothing, type TemplateResult } from 'lit';
import { logOut } from '../actions/log-out.ts';
import { access, keyProjects } from '../data/access.ts';
import { connection } from '../data/events.ts';
import { linkTo } from '../data/route.ts';
import { isLoginRequired } from '../data/session-end.ts';
import { chooseTheme, theme, themes } from '../data/theme.ts';
import logo from '../icon.svg';
import '../parts/drop-down.ts';
import { icon } from '../parts/icon.ts';
import './clock-pill.ts';
import { copyLink } from './copy-link.ts';
import { isMac, openPalette, showHelp } from './keys.ts';
import './project-menu.ts';
import { themeIcons } from './theme-icons.ts';

const states = {
  connecting: { text: 'connecting', kind: 'quiet' },
  live: { text: 'live', kind: 'good' },
  lost: { text: 'disconnected', kind: 'bad' },
} as const;

/** The caller must watch the stores connection, access, theme and isLoginRequired. */
export function renderBar(): TemplateResult {
  const { text, kind } = states[connection.get()];
  return html`
    <header class="bar">
      <a class="logo" href=${linkTo('live')}><img src=${logo} alt="" width="22" height="22" /><span class="word">field-sandbox</span></a>
      ${isLoginRequired.get() ? nothing : html`<span class="slash" aria-hidden="true">/</span><project-menu></project-menu>`}
      ${isLoginRequired.get() ? nothing : renderSearch()}
      ${isLoginRequired.get() ? html`<span class="push"></span>` : html`<clock-pill></clock-pill><span class="connection ${kind}" role="status" title=${`Event stream: ${text}`}><span class="text">${text}</span></span>`}
      ${renderKey()}
      <button type="button" class="icon wide" aria-label="Copy link to this view" title="Copy link to this view" @click=${copyLink}>${icon('link')}</button>
      ${renderTheme()}
      <button type="button" class="icon wide" aria-label="Keyboard help" title="Keyboard help (?)" @click=${showHelp}>${icon('circle-question-mark')}</button>
    </header>
  `;
}

function renderSearch(): TemplateResult {
  return html`
    <button type="button" class="search" title="Search or run a command" @click=${openPalette}>
      ${icon('search')}<span class="word">Search or run a command</span><kbd aria-hidden="true">${isMac ? '⌘' : 'Ctrl'} K</kbd>
    </button>
  `;
}

function renderTheme(): TemplateResult {
  const current = theme.get();
  const panel = (close: () => void): TemplateResult => {
    const pick = (name: string) => () => {
      chooseTheme(name);
      close();
    };
    return html`${themes.map(
      (name) => html`
        <button type="button" class="item" aria-pressed=${name === current} @click=${pick(name)}>${icon(themeIcons[name])}${name.charAt(0).toUpperCase()}${name.slice(1)}</button>
      `,
    )}`;
  };
  return html`<drop-down name="theme" label="Theme" look="icon" .content=${icon(themeIcons[current])} .panel=${panel}></drop-down>`;
}

/** Renders what the user's API key opens, and a button to log out. */
function renderKey(): TemplateResult | typeof nothing {
  const { label, expiresAt } = access.get() ?? {};
  const projects = keyProjects();
  if (projects === undefined) return nothing;
  const text = [label, projects.join(', ')].filter((one) => one !== undefined).join(': ');
  const title = `Your API key opens these projects only${expiresAt === undefined ? '' : `, until ${expiresAt}`}`;
  return html`
    <span class="chip quiet key" title=${title}><span class="unseen">${title}: </span>${text}</span>
    <button type="button" class="icon" aria-label="Log out" title="Log out" @click=${logOut}>${icon('log-out')}</button>
  `;
}
