/** Tabs with keyboard support: one tab stop, arrow keys move between the tabs and show the panel at once. */
import { html, type TemplateResult } from 'lit';

export interface Tab {
  readonly name: string;
  readonly title: string;
}

export interface Tabs {
  /** Accessible name of the tab list. */
  readonly label: string;
  /** Distinguishes tabs from others in the same page. */
  readonly name?: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly choose: (name: string) => void;
}

/** Renders the tabs and the panel of the selected one. */
export function tabbed({ label, name: prefix = 'tab', tabs, chosen, choose }: Tabs, panel: unknown): TemplateResult {
  const move = (event: KeyboardEvent): void => {
    // Starts from the focused tab: the page may not show it as selected yet.
    const at = tabs.findIndex(({ name }) => `${prefix}-${name}` === (event.target as Element).id);
    const to = toIndex(event.key, at, tabs.length);
    const tab = to === undefined ? undefined : tabs[to];
    if (!tab) return;
    event.preventDefault();
    choose(tab.name);
    document.getElementById(`${prefix}-${tab.name}`)?.focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label=${label} @keydown=${move}>
      ${tabs.map(
        ({ name, title }) => html`
          <button type="button" role="tab" id=${`${prefix}-${name}`} aria-selected=${name === chosen} aria-controls=${`${prefix}-panel`}
            tabindex=${name === chosen ? 0 : -1} @click=${() => choose(name)}>${title}</button>
        `,
      )}
    </div>
    <div class="column" role="tabpanel" id=${`${prefix}-panel`} aria-labelledby=${`${prefix}-${chosen}`}>${panel}</div>
  `;
}

function toIndex(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
