/** Colors and sizes of the text editor, from the tokens. It is in a shadow root, which the style sheets do not reach. */
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

const tooltip = {
  background: 'var(--raised)',
  color: 'var(--text)',
  border: '1px solid var(--line)',
  borderRadius: 'var(--radius)',
  boxShadow: 'var(--shadow-2, 0 4px 16px rgb(0 0 0 / 0.2))',
  maxWidth: '28rem',
};

export const editorTheme: Extension = EditorView.theme({
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
  '.cm-activeLine': { background: 'color-mix(in srgb, var(--chosen) 45%, transparent)' },
  '.cm-activeLineGutter': { background: 'var(--chosen)', color: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-selectionMatch': { background: 'color-mix(in srgb, var(--accent) 16%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--chosen)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textDecorationSkipInk: 'none',
  },
  '.cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--warn)',
    textDecorationSkipInk: 'none',
  },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-lint-marker': { width: '8px', height: '8px', margin: '5px 0 0 4px', borderRadius: '50%', content: '""' },
  '.cm-lint-marker-error': { background: 'var(--bad)', content: '""' },
  '.cm-lint-marker-warning': { background: 'var(--warn)', content: '""' },
  '.cm-tooltip': tooltip,
  '.cm-tooltip .cm-diagnostic': { borderLeft: '3px solid var(--bad)', padding: '4px 8px', fontFamily: 'var(--sans)' },
  '.cm-tooltip .cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-tooltip .explained': { padding: '6px 10px', fontFamily: 'var(--sans)', lineHeight: '1.45' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '16em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 10px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--chosen)', color: 'var(--text)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700', color: 'var(--accent)' },
  '.cm-completionInfo': { ...tooltip, padding: '6px 10px', fontFamily: 'var(--sans)', lineHeight: '1.45' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button': {
    background: 'var(--raised)',
    backgroundImage: 'none',
    color: 'var(--text)',
    border: '1px solid var(--strong-line)',
    borderRadius: 'var(--radius)',
  },
});
