/** The text editor itself: CodeMirror with YAML, marks of mistakes, completion and counts beside the rules. */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Schema } from '../schema.ts';
import { assist } from './assist.ts';
import { editorTheme } from './editor-theme.ts';
import { hintEffect, hintField, type LineHint } from './hints.ts';
import { replaceSelection } from './replace-selection.ts';

/** A mistake or a warning at a position, both from 1. */
export interface TextIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface TextEditor {
  setText(text: string): void;
  setIssues(issues: readonly TextIssue[]): void;
  setHints(hints: readonly LineHint[]): void;
  /** Moves the cursor to a position. */
  show(position: Pick<TextIssue, 'line' | 'column'>): void;
  focus(): void;
  destroy(): void;
}

export interface TextEditorOptions {
  readonly root: ShadowRoot;
  readonly text: string;
  readonly label: string;
  readonly schema: () => Schema | undefined;
  readonly onChange: (text: string) => void;
  readonly onSave: () => void;
}

/**
 * Creates the editor in a shadow root: there CodeMirror uses constructed style sheets, which the page's
 * Content-Security-Policy allows, in place of style elements.
 */
export function createTextEditor({ root, text, label, schema, onChange, onSave }: TextEditorOptions): TextEditor {
  let isSetting = false;
  const save = {
    key: 'Mod-s',
    preventDefault: true,
    run: () => {
      onSave();
      return true;
    },
  };
  const view = new EditorView({
    root,
    parent: root,
    doc: text,
    extensions: [
      ...basics(),
      keymap.of([
        save,
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
      ]),
      assist(schema),
      hintField,
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged && !isSetting) onChange(state.doc.toString());
      }),
    ],
  });

  return {
    setText: (next) => {
      isSetting = true;
      view.dispatch({ changes: differenceOf(view.state.doc.toString(), next) });
      isSetting = false;
    },
    setIssues: (issues) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          issues.map((issue) => toDiagnostic(view.state, issue)),
        ),
      ),
    setHints: (hints) => view.dispatch({ effects: hintEffect.of(hints) }),
    show: (position) => {
      const anchor = toOffset(view.state, position);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function basics(): readonly Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    replaceSelection,
    yaml(),
    syntaxHighlighting(colors),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    editorTheme,
  ];
}

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--text)' },
  { tag: [tags.special(tags.string), tags.quote], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.squareBracket, tags.brace], color: 'var(--quiet)' },
]);

/** Returns the one change between two texts, so that cursor and undo history stay. */
function differenceOf(
  before: string,
  after: string,
): { readonly from: number; readonly to: number; readonly insert: string } {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) };
}

function toOffset({ doc }: EditorState, { line, column }: Pick<TextIssue, 'line' | 'column'>): number {
  const found = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(found.from + Math.max(0, column - 1), found.to);
}

/** Marks the word at the position, or else the rest of its line. */
function toDiagnostic(state: EditorState, issue: TextIssue): Diagnostic {
  const from = toOffset(state, issue);
  const rest = state.doc.sliceString(from, state.doc.lineAt(from).to);
  const length = /^[\w.*?-]+/.exec(rest)?.[0].length ?? rest.length;
  return { from, to: from + length, severity: issue.severity, message: issue.message };
}
