/** Restores the focus if an element loses it because it moves within its list. */
import type { PageElement } from '../element.ts';

export function keepFocus(host: PageElement): void {
  let focused: Element | null = null;
  host.addController({
    hostUpdate: () => {
      focused = host.contains(document.activeElement) ? document.activeElement : null;
    },
    hostUpdated: () => {
      if (focused instanceof HTMLElement && focused.isConnected && document.activeElement !== focused) {
        focused.focus({ preventScroll: true });
      }
    },
  });
}
