/** Keeps the keys that a user types before the code of a field is loaded. */

export interface TypedAhead {
  readonly text: string;
  /** Whether Enter was pressed after the text. */
  readonly isEntered: boolean;
}

/** Collects keys instead of the page. Returns a function that ends this; it returns undefined after Escape. */
export function collectKeys(): () => TypedAhead | undefined {
  let text = '';
  let isEntered = false;
  let isCancelled = false;

  function add({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
    if (isComposing || altKey) return false;
    // Ctrl+K again is no part of the text.
    if (ctrlKey || metaKey) return key.toLowerCase() === 'k';
    if (key === 'Enter') isEntered = true;
    else if (key === 'Escape') isCancelled = true;
    else if (key === 'Backspace') text = text.slice(0, -1);
    else if (key.length === 1) text += key;
    else return false;
    return true;
  }

  const collect = (event: KeyboardEvent): void => {
    if (!add(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('keydown', collect, true);
  return () => {
    document.removeEventListener('keydown', collect, true);
    return isCancelled ? undefined : { text, isEntered };
  };
}
