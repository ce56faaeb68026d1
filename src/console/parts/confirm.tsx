/** Asks for confirmation before an action that cannot be undone. */
import { render } from 'preact';

export interface Question {
  readonly title: string;
  /** What the user would lose. */
  readonly text: string;
  /** Label of the button that confirms. */
  readonly action: string;
  /** Whether the action destroys data, so that its button is red. */
  readonly isDanger?: boolean;
}

/** Shows the dialog. Resolves to whether the user confirmed. The browser then restores the focus. */
export function confirmed({ title, text, action, isDanger = false }: Question): Promise<boolean> {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'confirm-title');
  dialog.setAttribute('aria-describedby', 'confirm-text');
  render(
    <form method="dialog" class="column">
      <h2 id="confirm-title">{title}</h2>
      <p id="confirm-text">{text}</p>
      <div class="row actions">
        <button type="submit" value="">
          Cancel
        </button>
        <button type="submit" value="yes" class={isDanger ? 'danger' : 'main'}>
          {action}
        </button>
      </div>
    </form>,
    dialog,
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}
