/** The navigation: the screens in groups, narrow or wide, and as a bar at the bottom of a phone. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath } from '../data/client.ts';
import { listen, type SandboxEvent } from '../data/events.ts';
import { projects } from '../data/live.ts';
import { createReloader } from '../data/reloader.ts';
import { createResource, isOf, type Resource } from '../data/resource.ts';
import { linkTo, route, type ScreenName } from '../data/route.ts';
import { isLoginRequired } from '../data/session-end.ts';
import { createStore, type Store } from '../data/store.ts';
import { PageElement, watch } from '../element.ts';
import { chosenProject } from '../parts/choose-project.ts';
import { requestTotal } from '../state.ts';
import '../parts/drop-down.ts';
import { icon } from '../parts/icon.ts';
import { groups, itemOf, type Screen, screens } from '../screens.ts';

/** Screens in the bar of a phone. The others are under More. */
const firstScreens: readonly ScreenName[] = ['live', 'callbacks', 'clock', 'scenarios'];

const storageKey = 'field-sandbox-navigation';
const isSmall = matchMedia('(max-width: 1100px)');

/** Whether the navigation shows icons only: by choice, or on a small display. */
const isNarrow: Store<boolean> = createStore(readNarrow());
isSmall.addEventListener('change', () => isNarrow.set(readNarrow()));

function readNarrow(): boolean {
  const stored = localStorage.getItem(storageKey);
  return stored === null ? isSmall.matches : stored === 'narrow';
}

function toggleNarrow(): void {
  const next = !isNarrow.get();
  localStorage.setItem(storageKey, next ? 'narrow' : 'wide');
  isNarrow.set(next);
}

class PageNavigation extends PageElement {
  static override properties = { current: {} };
  declare current: ScreenName;
  private readonly requests: Resource<number> = createResource(this, {
    key: () => (isLoginRequired.get() ? undefined : projectInUrl()),
    load: () => {
      const count = countRequests(projectInUrl());
      this.counted = count.catch(() => undefined);
      return count;
    },
  });
  /** The latest count, whether it succeeds or fails. */
  private counted: Promise<unknown> = Promise.resolve();
  /** Counts again after requests, less often than screens reload: it is one number. */
  private readonly recount = createReloader(async () => {
    this.requests.reload();
    await this.counted;
  }, 2000);
  private stopEvents = (): void => undefined;

  constructor() {
    super();
    watch(this, route, projects, isNarrow, isLoginRequired);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.stopEvents = listen((event) => {
      if (changesCount(event, projectInUrl())) this.recount.soon();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stopEvents();
    this.recount.end();
  }

  protected override render(): TemplateResult {
    const narrow = isNarrow.get();
    const label = narrow ? 'Expand navigation' : 'Collapse navigation';
    const more = (close: () => void): TemplateResult =>
      html`<div class="all" @click=${close}>${this.renderGroups('item')}</div>`;
    return html`
      <nav class="screens ${narrow ? 'narrow' : ''}" aria-label="Screens">
        ${this.renderGroups('')}
        <button type="button" class="icon collapse" aria-label=${label} title=${label} @click=${toggleNarrow}>${icon(narrow ? 'chevrons-right' : 'chevrons-left')}</button>
      </nav>
      <nav class="tabs-bar" aria-label="Main screens">
        ${firstScreens.map((name) => this.renderLink(name, ''))}
        <drop-down name="more" label="More screens" look="more" .content=${html`${icon('menu')}<span class="title">More</span>`} .panel=${more}></drop-down>
      </nav>
    `;
  }

  private renderGroups(look: string): readonly TemplateResult[] {
    return groups.map(
      ({ title, screens: names }) => html`<h2>${title}</h2>${names.map((name) => this.renderLink(name, look))}`,
    );
  }

  /** Renders the number that the screen shows for the chosen project. */
  private renderCount(name: ScreenName): TemplateResult | typeof nothing {
    const count = name === 'live' ? (this.requests.value ?? 0) : name === 'callbacks' ? countCallbacks() : 0;
    if (count === 0) return nothing;
    const what = name === 'live' ? 'requests' : 'callbacks';
    return html`<span class="count">${count.toLocaleString('en')}<span class="unseen"> ${what}</span></span>`;
  }

  private renderLink(name: ScreenName, look: string): TemplateResult | typeof nothing {
    const screen: Screen | undefined = screens[name];
    if (!screen) return nothing;
    return html`
      <a class=${look} href=${linkTo(name)} title=${isNarrow.get() ? screen.title : nothing} aria-current=${name === this.current ? 'page' : name === itemOf(route.get()) ? 'true' : nothing}>
        ${icon(screen.icon)}<span class="title">${screen.title}</span>${this.renderCount(name)}
      </a>
    `;
  }
}

function projectInUrl(): string {
  return route.get().query['project'] ?? '';
}

/** Counts requests as their screen does: those without a project are part of the list. */
async function countRequests(project: string): Promise<number> {
  const path = `${project === '' ? '' : projectPath(project)}/requests?view=rows&limit=1&counts=true`;
  const { counts } = await callApi<{ counts: { total: number } }>('GET', path);
  requestTotal.value = { project, count: counts.total };
  return counts.total;
}

/** Without a project, the requests of all are counted. */
function changesCount(event: SandboxEvent, project: string): boolean {
  if (project !== '' && !isOf(event, project)) return false;
  return event.kind === 'request' || (event.kind === 'change' && event.what === 'reset');
}

/** The screen of the callbacks shows one project. */
function countCallbacks(): number {
  const shown = chosenProject();
  return projects.get().find(({ id }) => id === shown)?.counts.callbacks ?? 0;
}

customElements.define('page-navigation', PageNavigation);
