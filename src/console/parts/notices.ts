/** Short notices of success or failure. Screen readers announce them, and they disappear after a few seconds. */
import { html, nothing, type TemplateResult } from 'lit';
import { toMessage } from '../data/client.ts';
import { createStore, type Store } from '../data/store.ts';
import { PageElement, watch } from '../element.ts';
import { icon } from './icon.ts';
import './notices.css';

interface Notice {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

/** How long a notice stays visible. */
const shownMs = 6000;

const notices: Store<readonly Notice[]> = createStore<readonly Notice[]>([]);

/** Shows a notice. A text that is visible already is not shown twice. */
export function notice(kind: Notice['kind'], text: string): void {
  const added = { kind, text };
  notices.set([...notices.get().filter((other) => other.text !== text), added].slice(-3));
  setTimeout(() => notices.set(notices.get().filter((other) => other !== added)), shownMs);
}

/** Runs an action and shows a notice of its success or failure. Returns whether it succeeded. */
export async function attempt(successText: string, action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    if (successText !== '') notice('good', successText);
    return true;
  } catch (error) {
    notice('bad', toMessage(error));
    return false;
  }
}

/** Renders an error on a screen, or nothing if the text is empty. */
export function errorNote(text: string): TemplateResult | typeof nothing {
  return text === '' ? nothing : html`<p class="note bad" role="alert">${text}</p>`;
}

class PageNotices extends PageElement {
  constructor() {
    super();
    watch(this, notices);
  }

  protected override render(): TemplateResult {
    return html`<div role="status" aria-label="Notices" class="notices">
      ${notices.get().map(({ kind, text }) => html`<p class="note"><span class=${kind} role="img" aria-label=${kind === 'good' ? 'Success' : 'Error'}>${icon(kind === 'good' ? 'circle-check' : 'circle-alert')}</span>${text}</p>`)}
    </div>`;
  }
}

customElements.define('page-notices', PageNotices);
