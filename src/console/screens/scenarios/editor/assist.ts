/** Completion and hover of the text editor, from the JSON Schema of scenarios. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view';
import type { Schema } from '../schema.ts';
import { descriptionAt, keysAt, type Proposal, valuesAt } from './schema-help.ts';
import { placeOf, placeOfTyping } from './yaml-place.ts';

export function assist(schema: () => Schema | undefined): Extension {
  return [
    autocompletion({ override: [(context) => complete(context, schema())], icons: false, activateOnTyping: true }),
    hoverTooltip((view, offset) => explain(view, offset, schema()), { hoverTime: 250 }),
  ];
}

function complete(context: CompletionContext, schema: Schema | undefined): CompletionResult | null {
  const typed = context.matchBefore(/[\w.*?-]*/);
  if (!schema || !typed || (typed.text === '' && !context.explicit && !startsPlace(context))) return null;
  const place = placeOfTyping(context.state.doc.toString(), context.pos);
  if (!place) return null;
  const after = context.state.doc.sliceString(context.pos, context.pos + 1);
  const keys = keysAt(schema, place.path).filter(({ label }) => !place.siblings.includes(label));
  const options = [
    ...keys.map((one) => toCompletion(one, 'property', after === ':' ? one.label : `${one.label}: `)),
    ...valuesAt(schema, place.path).map((one) => toCompletion(one, 'enum', one.label)),
  ];
  return options.length === 0 ? null : { from: typed.from, options, validFor: /^[\w.*?-]*$/ };
}

/** Whether the cursor is where a key or a value begins, so that the list opens without a letter. */
function startsPlace({ state, pos }: CompletionContext): boolean {
  const { from } = state.doc.lineAt(pos);
  return /[:{,[] $/.test(state.doc.sliceString(from, pos));
}

function toCompletion({ label, description }: Proposal, type: string, apply: string): Completion {
  return { label, type, apply, ...(description !== '' && { info: description }) };
}

function explain(view: EditorView, offset: number, schema: Schema | undefined): Tooltip | null {
  const place = schema && placeOf(view.state.doc.toString(), offset);
  const found = place && view.state.wordAt(offset);
  if (!place || !found) return null;
  const key = view.state.sliceDoc(found.from, found.to);
  const path = place.kind === 'key' ? [...place.path, key] : place.path;
  const text = descriptionAt(schema, path);
  if (text === '') return null;
  return {
    pos: found.from,
    end: found.to,
    above: false,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'explained';
      const title = document.createElement('strong');
      title.textContent = String(path.at(-1) ?? '');
      dom.append(title, ` ${text}`);
      return { dom };
    },
  };
}
