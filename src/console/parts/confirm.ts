/** Asks before something is done that can't be undone. */
import { html, render } from 'lit';
import './confirm.css';

export interface Question {
  readonly title: string;
  /** What would be lost. */
  readonly text: string;
  /** What the button says that does it. */
  readonly act: string;
}

/** Whether it was agreed to. The focus goes back by itself to where it was. */
export function confirmed({ title, text, act }: Question): Promise<boolean> {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'confirm-title');
  dialog.setAttribute('aria-describedby', 'confirm-text');
  const close = (answer: string) => () => dialog.close(answer);
  render(
    html`
      <div class="column">
        <h2 id="confirm-title">${title}</h2>
        <p id="confirm-text">${text}</p>
        <div class="row">
          <button type="button" autofocus @click=${close('')}>Cancel</button>
          <button type="button" class="main" @click=${close('yes')}>${act}</button>
        </div>
      </div>
    `,
    dialog,
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((answer) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      answer(dialog.returnValue === 'yes');
    });
  });
}
