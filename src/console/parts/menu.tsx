/** A button that opens a panel below itself. The browser closes it on Escape and on a click elsewhere. */
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { moveFocus } from '../keys.ts';

interface MenuProps {
  readonly label: string;
  /** What the button shows. Default: the label. */
  readonly content?: ComponentChildren;
  /** Classes of the button. */
  readonly look?: string;
  /** Renders the opened panel. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Menu({ label, content = label, look, children }: MenuProps) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const toggle = (event: Pick<ToggleEvent, 'newState' | 'type'>): void => {
    const opens = event.newState === 'open';
    // The content goes only after the browser has closed the panel, or the focus would not return to the button.
    if (opens || event.type === 'toggle') setIsOpen(opens);
    if (opens && event.type === 'toggle') panel.current?.querySelector<HTMLElement>('input, a, button')?.focus();
  };
  return (
    <>
      <button
        type="button"
        class={look}
        popovertarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
      >
        {content}
      </button>
      <div
        ref={panel}
        popover="auto"
        class="floating"
        id={id}
        role="dialog"
        aria-label={label}
        onBeforeToggle={toggle}
        onToggle={toggle}
        onKeyDown={(event) => moveFocus(event, 'a, button:enabled, input[type="checkbox"]')}
      >
        {isOpen && children(() => panel.current?.hidePopover())}
      </div>
    </>
  );
}
