/**
 * Base class of the console's elements. They render without a shadow root, so that one style sheet applies to all of
 * them.
 */
import { LitElement, type ReactiveController } from 'lit';
import type { Store } from './data/store.ts';

export class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** Renders the element again whenever one of the stores changes, while the element is in the page. */
export function watch(host: PageElement, ...stores: readonly Store<unknown>[]): void {
  let subscriptions: readonly (() => void)[] = [];
  const controller: ReactiveController = {
    hostConnected: () => {
      subscriptions = stores.map((store) => store.subscribe(() => host.requestUpdate()));
      host.requestUpdate();
    },
    hostDisconnected: () => {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
  host.addController(controller);
}
