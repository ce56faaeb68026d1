/** Which operations are shown: those whose id, path, summary or heading has what was typed. */
import type { System } from './reference-layout.ts';

/** What is used of the collections that Swagger UI keeps its document in. */
interface Collection {
  readonly size: number;
  get(name: string): unknown;
  getIn(path: readonly string[]): unknown;
  set(name: string, value: unknown): Collection;
  map(change: (value: Collection, key: string) => Collection): Collection;
  filter(isKept: (value: Collection) => boolean): Collection;
}

interface Settings {
  readonly layoutSelectors: { currentFilter(): unknown };
  readonly layoutActions: { updateFilter(text: string): void };
}

interface OperationsSettings {
  readonly specSelectors: { taggedOperations(): Collection };
}

function opsFilter(tags: Collection, typed: string): Collection {
  const wanted = typed.trim().toLowerCase();
  const isIn = (text: unknown): boolean =>
    String(text ?? '')
      .toLowerCase()
      .includes(wanted);
  const isMeant = (one: Collection): boolean =>
    [one.get('path'), one.getIn(['operation', 'operationId']), one.getIn(['operation', 'summary'])].some(isIn);
  return tags
    .map((tag, name) =>
      isIn(name) ? tag : tag.set('operations', (tag.get('operations') as Collection).filter(isMeant)),
    )
    .filter((tag) => (tag.get('operations') as Collection).size > 0);
}

/** The plugin that brings the field, what it does, and what is said where nothing is left. */
export function filtering({ React }: System): object {
  const FilterContainer = ({ layoutSelectors, layoutActions }: Settings) => {
    const filter = layoutSelectors.currentFilter();
    const value = typeof filter === 'string' ? filter : '';
    const onChange = ({ target }: { target: HTMLInputElement }): void => layoutActions.updateFilter(target.value);
    return React.createElement(
      'label',
      { className: 'reference-filter' },
      'Filter operations',
      React.createElement('input', { type: 'search', placeholder: 'id, path or word', value, onChange }),
    );
  };
  const operations = (Original: unknown) => (settings: OperationsSettings) =>
    settings.specSelectors.taggedOperations().size === 0
      ? React.createElement('p', { className: 'quiet' }, 'No operation has that in its id, path, summary or heading.')
      : React.createElement(Original, settings);
  return { fn: { opsFilter }, components: { FilterContainer }, wrapComponents: { operations } };
}
