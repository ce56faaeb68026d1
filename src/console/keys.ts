/** Keys of lists and details: which of them they handle, and where they lead. */
import { useEffect, useRef } from 'preact/hooks';
import { ownOf } from './filter.ts';

/** Elements that handle keys themselves. */
const ownKeys = 'input, textarea, select, [contenteditable], dialog, [popover], [role=dialog]';
/** Elements that handle the arrow keys or Enter. */
const ownArrows = `${ownKeys}, a, button, summary, pre, [tabindex="0"]`;

/**
 * Whether a list handles a key. From its header and from outside it handles `j` and `k`, and the arrows if nothing outside
 * has the focus.
 */
export function isForList(event: KeyboardEvent, list: Element): boolean {
  const { altKey, ctrlKey, metaKey, defaultPrevented } = event;
  const [target] = event.composedPath();
  if (defaultPrevented || altKey || ctrlKey || metaKey || !(target instanceof Element)) return false;
  if (target === list) return true;
  if (target.closest(ownKeys) !== null || !list.checkVisibility({ visibilityProperty: true })) return false;
  if (event.key === 'j' || event.key === 'k') return true;
  return /^Arrow(Up|Down)$/.test(event.key) && (list.contains(target) || target.closest(ownArrows) === null);
}

/** Number of rows that Page Up and Page Down pass. */
const page = 15;

/** Returns the index of the row to which a key leads; undefined if it leads nowhere. */
export function toTarget(key: string, at: number, count: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ...{ ArrowDown: at + 1, j: at + 1, PageDown: at + page, End: count - 1 },
    ...{ ArrowUp: at - 1, k: at - 1, PageUp: at - page, Home: 0 },
    ...(at >= 0 && { Enter: at }),
  };
  const target = ownOf(targets, key);
  return target === undefined ? undefined : Math.max(0, Math.min(count - 1, target));
}

/** Moves the focus with the arrow keys, `j` and `k` between the elements of a part of the page. */
export function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, selector: string): void {
  const { key, target, currentTarget, altKey, ctrlKey, metaKey } = event;
  const isTyping = target instanceof HTMLInputElement && target.type !== 'checkbox';
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, ...(!isTyping && { j: 1, k: -1 }) };
  const step = steps[key];
  if (step === undefined || altKey || ctrlKey || metaKey || (isTyping && !target.matches(selector))) return;
  const stops = [...currentTarget.querySelectorAll<HTMLElement>(selector)];
  const next = stops[stops.findIndex((one) => one.matches(':focus')) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Moves the focus to the search of the screen. Returns whether it has one. */
export function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>('main input[type="search"]');
  const field = [...fields].find((one) => one.checkVisibility());
  field?.focus();
  field?.select();
  return field !== undefined;
}

/** Handles a key anywhere in the page, while the component is shown. */
export function useKeys(handle: (event: KeyboardEvent) => void): void {
  const latest = useRef(handle);
  latest.current = handle;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => latest.current(event);
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Closes what is open on Escape, unless something above it takes the key. */
export function useEscape(close: () => void): void {
  useKeys((event) => {
    const { key, defaultPrevented, target } = event;
    if (key !== 'Escape' || defaultPrevented) return;
    // The browser empties a search field, and closes dialogs and menus after this event.
    if (target instanceof HTMLInputElement && target.type === 'search' && target.value !== '') return;
    // What is typed in a form would be lost.
    if (target instanceof Element && target.closest('form') !== null) return;
    if (document.querySelector('dialog[open], [popover]:popover-open') === null) close();
  });
}
