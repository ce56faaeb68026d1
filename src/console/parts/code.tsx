/** An editor of YAML text with marks of mistakes. */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A mistake or a warning at a position, both from 1. */
export interface TextIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

interface CodeProps {
  readonly label: string;
  /** Its line breaks are `\n`. */
  readonly text: string;
  readonly issues: readonly TextIssue[];
  readonly onText: (text: string) => void;
  /** Called at Ctrl+S. */
  readonly onSave: () => void;
  /** The position to move the cursor to, whenever it is another object. */
  readonly at?: Pick<TextIssue, 'line' | 'column'> | undefined;
}

export function CodeEditor(props: CodeProps) {
  const { label, text, issues, at } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  // All before the next key: a text that arrives later would replace what was typed, a cursor that moves later misplace it.
  useLayoutEffect(() => {
    if (!host.current) return;
    // In a shadow root CodeMirror uses constructed style sheets, which the page's policy allows, in place of style elements.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const view = new EditorView({ root, parent: root, doc: text, extensions: toExtensions(label, latest) });
    editor.current = view;
    return () => view.destroy();
  }, []);
  useLayoutEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === text) return;
    view.dispatch({ changes: differenceOf(view.state.doc.toString(), text) });
  }, [text]);
  useLayoutEffect(() => {
    const view = editor.current;
    view?.dispatch(
      setDiagnostics(
        view.state,
        issues.map((one) => toDiagnostic(view.state, one)),
      ),
    );
  }, [issues]);
  useLayoutEffect(() => {
    const view = editor.current;
    if (!view || !at) return;
    const anchor = toOffset(view.state, at);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    view.focus();
  }, [at]);
  return <div ref={host} />;
}

interface Latest {
  readonly current: CodeProps;
}

function toExtensions(label: string, latest: Latest): readonly Extension[] {
  const save = {
    key: 'Mod-s',
    preventDefault: true,
    run: () => {
      latest.current.onSave();
      return true;
    },
  };
  return [
    ...[lineNumbers(), lintGutter(), highlightSelectionMatches(), history(), drawSelection(), indentOnInput()],
    ...[bracketMatching(), closeBrackets(), replaceSelection, yaml(), syntaxHighlighting(colors), theme],
    ...[EditorView.lineWrapping, EditorState.tabSize.of(2)],
    keymap.of([
      ...[save, ...closeBracketsKeymap, ...lintKeymap],
      ...[...defaultKeymap, ...searchKeymap, ...historyKeymap],
    ]),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      const text = state.doc.toString();
      if (docChanged && text !== latest.current.text) latest.current.onText(text);
    }),
  ];
}

/** Replaces a selection without the browser: it would keep the colors of the text as inline styles, which are blocked. */
const replaceSelection = EditorView.domEventHandlers({
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

/** Colors and sizes, from the tokens. The editor is in a shadow root, which the style sheets do not reach. */
const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', background: 'var(--raised)', fontSize: 'var(--font-s, 12px)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-gutters': {
    background: 'var(--sunken)',
    color: 'var(--quiet)',
    border: '0',
    borderRight: '1px solid var(--line)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 4px' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-selectionMatch': { background: 'color-mix(in srgb, var(--accent) 16%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--chosen)' },
  '.cm-lintRange-error, .cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-error': { textDecorationColor: 'var(--bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--warn)' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-lint-marker': { width: '8px', height: '8px', margin: '5px 0 0 4px', borderRadius: '50%', content: '""' },
  '.cm-lint-marker-error': { background: 'var(--bad)', content: '""' },
  '.cm-lint-marker-warning': { background: 'var(--warn)', content: '""' },
  '.cm-tooltip': {
    background: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow-2)',
    maxWidth: '28rem',
  },
  '.cm-tooltip .cm-diagnostic': { borderLeft: '3px solid var(--bad)', padding: '4px 8px', fontFamily: 'var(--sans)' },
  '.cm-tooltip .cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button': {
    background: 'var(--raised)',
    backgroundImage: 'none',
    color: 'var(--text)',
    border: '1px solid var(--strong-line)',
    borderRadius: 'var(--radius)',
  },
});

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--code-key)' },
  { tag: [tags.string, tags.content, tags.attributeValue], color: 'var(--text)' },
  { tag: [tags.special(tags.string), tags.quote], color: 'var(--code-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.squareBracket, tags.brace], color: 'var(--quiet)' },
]);

/** Returns the one change between two texts, so that cursor and undo history stay. */
function differenceOf(before: string, after: string) {
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
function toDiagnostic(state: EditorState, { severity, message, ...at }: TextIssue): Diagnostic {
  const from = toOffset(state, at);
  const rest = state.doc.sliceString(from, state.doc.lineAt(from).to);
  const length = /^[\w.*?-]+/.exec(rest)?.[0].length ?? rest.length;
  return { from, to: from + length, severity, message };
}
