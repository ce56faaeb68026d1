/** Keys that work on every screen, except while the user types in a field. */
import type { ScreenName } from '../data/route.ts';
import { linkTo } from '../data/route.ts';
import { notice } from '../parts/notices.ts';
import { collectKeys } from '../parts/type-ahead.ts';
import { screens } from '../screens.ts';

export const isMac: boolean = /Mac|iPhone|iPad/.test(navigator.platform);

/** How long the second key of `g`, then a letter, may take. */
const sequenceMs = 1500;

/** Loads the palette when it is opened for the first time. What the user types meanwhile is its text. */
export async function openPalette(): Promise<void> {
  const endKeys = collectKeys();
  try {
    const { showPalette } = await import('../palette/palette.ts');
    const typed = endKeys();
    if (typed && !document.querySelector('dialog[open]')) showPalette(typed);
  } catch {
    endKeys();
    notice('bad', 'Cannot load the palette. Check that the sandbox is running.');
  }
}

export async function showHelp(): Promise<void> {
  try {
    const { showKeyboardHelp } = await import('../palette/help.ts');
    showKeyboardHelp();
  } catch {
    notice('bad', 'Cannot load the help. Check that the sandbox is running.');
  }
}

/** Starts to listen. Call it once. */
export function startKeys(): void {
  const sequence: Sequence = { until: 0 };
  document.addEventListener('keydown', (event) => {
    if (isPaletteKey(event)) {
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) void openPalette();
    } else if (isFree(event) && handle(event, sequence)) event.preventDefault();
  });
}

interface Sequence {
  /** Until when a letter belongs to the `g` before it. */
  until: number;
}

function handle({ key, timeStamp }: KeyboardEvent, sequence: Sequence): boolean {
  const isGoing = timeStamp < sequence.until;
  sequence.until = key === 'g' && !isGoing ? timeStamp + sequenceMs : 0;
  return isGoing ? go(key) : press(key);
}

/** Cmd+K, or Ctrl+K. */
function isPaletteKey({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return (metaKey || ctrlKey) && !shiftKey && !altKey && key.toLowerCase() === 'k';
}

/** Whether a key belongs to no field, no open dialog and no shortcut of the browser. */
function isFree({ metaKey, ctrlKey, altKey, defaultPrevented, target }: KeyboardEvent): boolean {
  return !metaKey && !ctrlKey && !altKey && !defaultPrevented && !isTyping(target);
}

function press(key: string): boolean {
  if (key === '/') return focusSearch();
  if (key !== '?') return false;
  void showHelp();
  return true;
}

/** Whether keys belong to a field or to an open dialog. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const isField = target.matches('input, textarea, select') || target.isContentEditable;
  return isField || document.querySelector('dialog[open], [popover]:popover-open') !== null;
}

function go(letter: string): boolean {
  const found = Object.entries(screens).find(([, screen]) => screen.letter === letter);
  if (found) location.hash = linkTo(found[0] as ScreenName);
  return found !== undefined;
}

/** Moves the focus to the search or filter of the screen. */
function focusSearch(): boolean {
  const fields = document.querySelectorAll<HTMLElement>('main :is(input[type="search"], [data-search])');
  const field = [...fields].find((one) => one.checkVisibility());
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
  return field !== undefined;
}
