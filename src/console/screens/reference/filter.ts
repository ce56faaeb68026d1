/** Filters the operations by id, path, summary and tag. */
import type { System } from './layout.ts';

/** The used methods of the immutable collections in which Swagger UI stores its document. */
interface Collection {
  readonly size: number;
  get(name: string): unknown;
  getIn(path: readonly string[]): unknown;
  set(name: string, value: unknown): Collection;
  map(change: (value: Collection, key: string) => Collection): Collection;
  filter(predicate: (value: Collection) => boolean): Collection;
}

interface Settings {
  readonly layoutSelectors: { currentFilter(): unknown };
  readonly layoutActions: { updateFilter(text: string): void };
}

interface OperationsSettings {
  readonly specSelectors: { taggedOperations(): Collection };
}

function opsFilter(tags: Collection, input: string): Collection {
  const search = input.trim().toLowerCase();
  const includesSearch = (text: unknown): boolean =>
    String(text ?? '')
      .toLowerCase()
      .includes(search);
  const isMatch = (one: Collection): boolean =>
    [one.get('path'), one.getIn(['operation', 'operationId']), one.getIn(['operation', 'summary'])].some(
      includesSearch,
    );
  return tags
    .map((tag, name) =>
      includesSearch(name) ? tag : tag.set('operations', (tag.get('operations') as Collection).filter(isMatch)),
    )
    .filter((tag) => (tag.get('operations') as Collection).size > 0);
}

/** Plugin with the filter field, the filter function, and a text for an empty result. */
export function filtering({ React }: System): object {
  const FilterContainer = ({ layoutSelectors, layoutActions }: Settings) => {
    const filter = layoutSelectors.currentFilter();
    const value = typeof filter === 'string' ? filter : '';
    const onChange = ({ target }: { target: HTMLInputElement }): void => layoutActions.updateFilter(target.value);
    return React.createElement(
      'label',
      { className: 'reference-filter' },
      'Filter operations',
      React.createElement('input', { type: 'search', placeholder: 'Id, path or word', value, onChange }),
    );
  };
  const operations = (Original: unknown) => (settings: OperationsSettings) =>
    settings.specSelectors.taggedOperations().size === 0
      ? React.createElement('p', { className: 'quiet' }, 'No matches in ids, paths, summaries and headings.')
      : React.createElement(Original, settings);
  return { fn: { opsFilter }, components: { FilterContainer }, wrapComponents: { operations } };
}
