/** Keeps the focus where it was, when what has it is put elsewhere in its list. */
import type { PageElement } from '../element.ts';

export function keepFocus(host: PageElement): void {
  let before: Element | null = null;
  host.addController({
    hostUpdate: () => {
      before = host.contains(document.activeElement) ? document.activeElement : null;
    },
    hostUpdated: () => {
      if (before instanceof HTMLElement && before.isConnected && document.activeElement !== before) {
        before.focus({ preventScroll: true });
      }
    },
  });
}
