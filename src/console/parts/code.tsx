/** An editor of YAML text with marks of mistakes, completion and explanations by a JSON Schema. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml, yamlLanguage } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, hoverTooltip, keymap, lineNumbers, type Tooltip } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { editorTheme } from '../styles/editor.ts';

/** A mistake or a warning at a position, both from 1. */
export interface TextIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** The keywords of JSON Schema that help with a text. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface CodeProps {
  readonly label: string;
  /** Its line breaks are `\n`. */
  readonly text: string;
  readonly issues: readonly TextIssue[];
  readonly schema: Schema | undefined;
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
  return <div ref={host} class="code-host" />;
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
    ...[bracketMatching(), closeBrackets(), replaceSelection, yaml(), syntaxHighlighting(colors), editorTheme],
    ...[EditorView.lineWrapping, EditorState.tabSize.of(2)],
    keymap.of([
      ...[save, ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap],
      ...[...defaultKeymap, ...searchKeymap, ...historyKeymap],
    ]),
    autocompletion({ override: [(context) => complete(context, latest.current.schema)], icons: false }),
    hoverTooltip((view, offset) => explain(view, offset, latest.current.schema), { hoverTime: 250 }),
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

/** The path of what is at an offset; if it is a key, of the map that it belongs to, with the other keys. */
interface Place {
  readonly path: readonly (string | number)[];
  readonly isKey: boolean;
  readonly siblings: readonly string[];
}

type Node = ReturnType<ReturnType<typeof yamlLanguage.parser.parse>['resolveInner']>;

function placeOf(text: string, offset: number): Place {
  const keyOf = (pair: Node): string => {
    const key = pair.getChild('Key');
    return key ? text.slice(key.from, key.to).replace(/^["']|["']$/g, '') : '';
  };
  const path: (string | number)[] = [];
  /** The pair whose key is at the offset. */
  let own: Node | null = null;
  for (let node: Node | null = yamlLanguage.parser.parse(text).resolveInner(offset, 1); node; node = node.parent) {
    if (node.name === 'Key' && path.length === 0) own ??= node.parent;
    else if (node.name === 'Item') path.unshift(0);
    else if (node.name === 'Pair' && node.from !== own?.from) path.unshift(keyOf(node));
  }
  const from = own?.from;
  const others = own?.parent?.getChildren('Pair').filter((one) => one.from !== from) ?? [];
  return { path, isKey: own !== null, siblings: others.map(keyOf) };
}

const word = /[\w.*?-]*$/;

/** Returns the place where the user types, with a placeholder so that an empty place has a node. */
function placeOfTyping(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const typed = word.exec(before)?.[0] ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1, before.length - typed.length);
  const rest = /^[^\n]*/.exec(text.slice(offset))?.[0] ?? '';
  // At the start of a line, a word is a key that has no colon yet.
  const isNewKey = /^\s*(?:- +)*$/.test(line) && rest.trim() === '';
  const filled = `${before}${typed === '' ? 'x' : ''}${isNewKey ? ': x' : ''}${text.slice(offset)}`;
  return placeOf(filled, offset - typed.length);
}

/** A schema, and all alternatives in it. */
function branchesOf(schema: Schema): readonly Schema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(branchesOf)];
}

function stepInto({ properties = {}, additionalProperties, items }: Schema, step: string | number): readonly Schema[] {
  if (typeof step === 'number') return items ? [items] : [];
  const found = Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
  return typeof found === 'object' ? [found] : [];
}

/** Returns all schemas that may describe the value at a path. */
function schemasAt(root: Schema, path: Place['path']): readonly Schema[] {
  let schemas = branchesOf(root);
  for (const step of path) schemas = schemas.flatMap((schema) => stepInto(schema, step)).flatMap(branchesOf);
  return schemas;
}

function complete(context: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  const { state, pos, explicit } = context;
  const typed = context.matchBefore(/[\w.*?-]*/);
  const before = state.doc.sliceString(state.doc.lineAt(pos).from, pos);
  // Where a key or a value begins, the list opens without a letter.
  if (!schema || !typed || (typed.text === '' && !explicit && !/[:{,[] $/.test(before))) return null;
  const { path, siblings } = placeOfTyping(state.doc.toString(), pos);
  const schemas = schemasAt(schema, path);
  const colon = state.doc.sliceString(pos, pos + 1) === ':' ? '' : ': ';
  const keys = schemas
    .flatMap(({ properties = {} }) => Object.entries(properties))
    .filter(([name]) => !siblings.includes(name))
    .map(([name, { description }]) => toCompletion(name, description, `${name}${colon}`));
  const listed = schemas.flatMap((one) => (one.items ? branchesOf(one.items) : []));
  const values = [...schemas, ...listed].flatMap((one) =>
    valuesOf(one).map((value) => toCompletion(String(value), one.description, String(value))),
  );
  const options = [...new Map([...keys, ...values].map((one) => [one.label, one])).values()];
  return options.length === 0 ? null : { from: typed.from, options, validFor: /^[\w.*?-]*$/ };
}

function valuesOf({ enum: values = [], const: only, type }: Schema): readonly unknown[] {
  if (only !== undefined) return [only];
  return type === 'boolean' ? [true, false] : values;
}

function toCompletion(label: string, info: string | undefined, apply: string): Completion {
  return { label, apply, ...(info !== undefined && { info }) };
}

function explain({ state }: EditorView, offset: number, schema: Schema | undefined): Tooltip | null {
  const found = state.wordAt(offset);
  if (!schema || !found) return null;
  const { path, isKey } = placeOf(state.doc.toString(), offset);
  const key = state.sliceDoc(found.from, found.to);
  const at = isKey ? [...path, key] : path;
  const text = schemasAt(schema, at).find(({ description }) => description)?.description;
  if (text === undefined) return null;
  const create = () => {
    const dom = document.createElement('div');
    dom.className = 'explained';
    const title = document.createElement('strong');
    title.textContent = String(at.at(-1) ?? '');
    dom.append(title, ` ${text}`);
    return { dom };
  };
  return { pos: found.from, end: found.to, above: false, create };
}
