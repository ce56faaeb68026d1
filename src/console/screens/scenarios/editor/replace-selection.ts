/** Replaces a selection without the browser: it would keep the colors of the text as inline styles, which are blocked. */
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

export const replaceSelection: Extension = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty) return false;
    event.preventDefault();
    const replace = view.state.replaceSelection(view.state.toText(data));
    const insert = () => view.state.update(replace, { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});
