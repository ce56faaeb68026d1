/** Short texts after the ends of lines, which are not part of the text. */
import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

/** A short text after the end of a line, from 1. */
export interface LineHint {
  readonly line: number;
  readonly text: string;
}

class HintWidget extends WidgetType {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override eq(other: HintWidget): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const hint = document.createElement('span');
    hint.className = 'hint';
    hint.role = 'note';
    hint.textContent = this.text;
    return hint;
  }
}

export const hintEffect = StateEffect.define<readonly LineHint[]>();

export const hintField: Extension = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (current, { effects, changes, state }) => {
    const hints = effects.findLast((effect) => effect.is(hintEffect))?.value as readonly LineHint[] | undefined;
    if (!hints) return current.map(changes);
    const placed = hints.filter(({ line }) => line > 0 && line <= state.doc.lines);
    return Decoration.set(
      placed.map(({ line, text }) =>
        Decoration.widget({ widget: new HintWidget(text), side: 1 }).range(state.doc.line(line).to),
      ),
      true,
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});
