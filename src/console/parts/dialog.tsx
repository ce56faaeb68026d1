/** Dialogs above the page. The browser restores the focus when one closes. */
import { type ComponentChildren, render } from 'preact';
import { isLoginRequired } from '../api.ts';

/** Shows a dialog until it is closed: by Escape, by a click beside it, or by what it renders. Resolves to its value. */
export function showDialog(
  look: string,
  label: string,
  content: (close: (value?: string) => void) => ComponentChildren,
): Promise<string> {
  const dialog = document.createElement('dialog');
  dialog.className = look;
  dialog.setAttribute('aria-label', label);
  document.body.append(dialog);
  dialog.showModal();
  render(
    content((value) => dialog.close(value)),
    dialog,
  );
  dialog.querySelector<HTMLElement>('input, button')?.focus();
  // The end of the session closes it: the login form is behind it.
  const isLogin = isLoginRequired.value;
  const stop = isLoginRequired.subscribe((isRequired) => isRequired !== isLogin && dialog.close());
  return new Promise((resolve) => {
    // Not on a click, which also ends a selection of text that leaves the dialog.
    dialog.addEventListener('mousedown', (event) => {
      if (event.target !== dialog) return;
      event.preventDefault();
      dialog.close();
    });
    dialog.addEventListener('close', () => {
      stop();
      render(null, dialog);
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

export interface Question {
  readonly title: string;
  /** What the user would lose. */
  readonly text: string;
  /** Label of the button that confirms. */
  readonly action: string;
}

/** Asks before data is destroyed. Resolves to whether the user confirmed. */
export async function confirmed({ title, text, action }: Question): Promise<boolean> {
  const answer = await showDialog('', title, (close) => (
    <div class="column">
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="row actions">
        <button type="button" onClick={() => close()}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => close('yes')}>
          {action}
        </button>
      </div>
    </div>
  ));
  return answer === 'yes';
}
