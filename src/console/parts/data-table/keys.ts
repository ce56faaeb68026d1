/** The keys of a table: which of them it handles, and to which row they lead. */

/** Elements that handle keys themselves. */
const ownKeys = 'input, textarea, select, [contenteditable], dialog, [popover], [role=dialog], [role=separator]';
/** Elements that handle the arrow keys or Enter. */
const ownArrows = `${ownKeys}, a, button, summary, pre, [role=tablist], [tabindex="0"]`;

/** Whether a table handles a key. From outside it handles `j` and `k`, and the arrows if nothing has the focus. */
export function isForTable(event: KeyboardEvent, table: Element): boolean {
  const { target, altKey, ctrlKey, metaKey, defaultPrevented } = event;
  if (defaultPrevented || altKey || ctrlKey || metaKey || !(target instanceof Element)) return false;
  if (document.querySelector('data-table') !== table && !table.contains(target)) return false;
  if (target.closest(ownKeys) !== null || !table.checkVisibility({ visibilityProperty: true })) return false;
  if (target.matches('.scroller') && table.contains(target)) return true;
  if (event.key === 'j' || event.key === 'k') return true;
  return /^Arrow(Up|Down)$/.test(event.key) && target.closest(ownArrows) === null;
}

/** Returns the index of the row to which a key leads; undefined if it leads nowhere. */
export function toTarget(key: string, at: number, count: number, page: number): number | undefined {
  const within = (index: number): number => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return within(at + 1);
    case 'ArrowUp':
    case 'k':
      return within(at - 1);
    case 'PageDown':
      return within(at + page);
    case 'PageUp':
      return within(at - page);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'Enter':
      return at < 0 ? undefined : at;
    default:
      return undefined;
  }
}
