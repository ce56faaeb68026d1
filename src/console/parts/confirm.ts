/** Asks for confirmation before an action that cannot be undone. */
import { html, render } from 'lit';
import './confirm.css';

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
  const close = (value: string) => () => dialog.close(value);
  render(
    html`
      <div class="column">
        <h2 id="confirm-title">${title}</h2>
        <p id="confirm-text">${text}</p>
        <div class="row actions">
          <button type="button" autofocus @click=${close('')}>Cancel</button>
          <button type="button" class=${isDanger ? 'danger' : 'main'} @click=${close('yes')}>${action}</button>
        </div>
      </div>
    `,
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
