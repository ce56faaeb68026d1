/** The keys that a table handles. */
import { ownArrows, ownKeys } from '../../keys.ts';

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
