/** What all elements of the console are: they render in the page itself, so that one sheet of styles holds for all. */
import { LitElement, type ReactiveController } from 'lit';
import type { Store } from './data/store.ts';

export class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** Renders the element anew whenever one of the stores changes, for as long as it is in the page. */
export function watch(host: PageElement, ...stores: readonly Store<unknown>[]): void {
  let ends: readonly (() => void)[] = [];
  const controller: ReactiveController = {
    hostConnected: () => {
      ends = stores.map((store) => store.subscribe(() => host.requestUpdate()));
      host.requestUpdate();
    },
    hostDisconnected: () => {
      for (const end of ends) end();
    },
  };
  host.addController(controller);
}
