/** Closes what an element has open on Escape, unless something above it takes the key. */
import type { PageElement } from '../element.ts';

/** `close` decides whether anything is open. Calls it wherever the focus is. */
export function closeOnEscape(host: PageElement, close: () => void): void {
  const closeByKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || clearsSearch(event)) return;
    // The browser closes dialogs and menus itself, after this event.
    if (document.querySelector('dialog[open], [popover]:popover-open') === null) close();
  };
  host.addController({
    hostConnected: () => document.addEventListener('keydown', closeByKey),
    hostDisconnected: () => document.removeEventListener('keydown', closeByKey),
  });
}

/** The browser empties a search field on Escape. */
function clearsSearch({ target }: Event): boolean {
  return target instanceof HTMLInputElement && target.type === 'search' && target.value !== '';
}
