/** Which entries a rule fires on. */
import { html, nothing, type TemplateResult } from 'lit';
import { choices } from './choices.ts';
import { listInput, wholeNumber } from './inputs.ts';
import type { Entries } from './scenario-form.ts';

export interface EntriesView {
  readonly entries: Entries;
  /** Unique in the page. */
  readonly name: string;
  readonly set: (entries: Entries) => void;
}

const entryOptions = [
  { value: 'all', label: 'All' },
  { value: '1', label: '1st' },
  { value: '2', label: '2nd' },
  { value: '3', label: '3rd' },
  { value: 'numbers', label: 'Numbers' },
  { value: 'every', label: 'Every nth' },
  { value: 'ids', label: 'By id' },
];

const entryDefaults: Readonly<Record<string, Entries>> = {
  all: { kind: 'all' },
  numbers: { kind: 'numbers', numbers: [1, 2] },
  every: { kind: 'every', every: 10 },
  ids: { kind: 'ids', ids: ['FAIL-*'] },
};

export function renderEntries({ entries, name, set }: EntriesView): TemplateResult {
  const [only, ...others] = entries.kind === 'numbers' ? entries.numbers : [];
  const isShort = only !== undefined && others.length === 0 && only <= 3;
  return html`
    ${choices({
      label: 'Entries',
      name,
      options: entries.kind === 'other' ? [...entryOptions, { value: 'other', label: 'As in the text' }] : entryOptions,
      chosen: isShort ? String(only) : entries.kind,
      choose: (value) => set(entryDefaults[value] ?? { kind: 'numbers', numbers: [Number(value)] }),
    })}
    ${isShort ? nothing : renderEntryValue(entries, set)}
  `;
}

function renderEntryValue(entries: Entries, set: EntriesView['set']): TemplateResult | typeof nothing {
  switch (entries.kind) {
    case 'numbers':
      return listInput('Numbers of entries', entries.numbers.join(', '), (texts) => {
        const numbers = texts.map(Number).filter((one) => Number.isInteger(one) && one > 0);
        if (numbers.length > 0) set({ kind: 'numbers', numbers });
      });
    case 'ids':
      return listInput('Ids of entries', entries.ids.join(', '), (ids) => ids.length > 0 && set({ kind: 'ids', ids }));
    case 'every':
      return wholeNumber('Every nth entry', entries.every, (every) => every && set({ kind: 'every', every }));
    default:
      return nothing;
  }
}
