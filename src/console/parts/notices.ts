/** Short messages on what was done, or why it could not be: told to screen readers, too, and gone after a while. */
import { html, type TemplateResult } from 'lit';
import { Refusal } from '../data/client.ts';
import { createStore, type Store } from '../data/store.ts';
import { PageElement, watch } from '../element.ts';
import './notices.css';

interface Notice {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

/** How long a message stays. */
const shownMs = 6000;

const notices: Store<readonly Notice[]> = createStore<readonly Notice[]>([]);

export function notice(kind: Notice['kind'], text: string): void {
  const one = { kind, text };
  notices.set([...notices.get(), one].slice(-4));
  setTimeout(() => notices.set(notices.get().filter((other) => other !== one)), shownMs);
}

/** Does something and says that it is done, or why it could not be. Gives back whether it was. */
export async function attempt(done: string, act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    if (done !== '') notice('good', done);
    return true;
  } catch (error) {
    notice('bad', error instanceof Refusal ? error.message : String(error));
    return false;
  }
}

class PageNotices extends PageElement {
  constructor() {
    super();
    watch(this, notices);
  }

  protected override render(): TemplateResult {
    return html`<div role="status" class="notices">
      ${notices.get().map(({ kind, text }) => html`<p class="note ${kind}">${text}</p>`)}
    </div>`;
  }
}

customElements.define('page-notices', PageNotices);
