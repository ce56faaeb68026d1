/** Shows a dialog until the user closes it: by Escape, by a click beside it, or by what it renders. */
import { render, type TemplateResult } from 'lit';

/** `content` renders the dialog and may close it. */
export function showDialog(className: string, label: string, content: (close: () => void) => TemplateResult): void {
  const dialog = document.createElement('dialog');
  dialog.className = className;
  dialog.setAttribute('aria-label', label);
  const close = (): void => dialog.close();
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  render(content(close), dialog);
  document.body.append(dialog);
  dialog.showModal();
}
