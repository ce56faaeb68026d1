/** The search field of a list, and a menu per filter. The URL holds what is chosen. */
import {
  chosen,
  cleared,
  describeFilter,
  type Filter,
  firstPage,
  listValues,
  ownOf,
  toggled,
  valuesOf,
} from '../filter.ts';
import { toUtc } from '../format.ts';
import { focusSearch } from '../keys.ts';
import { choose, route } from '../route.ts';
import { Menu } from './menu.tsx';
import { Empty, Icon, onSubmit } from './small.tsx';

interface FiltersProps {
  readonly label: string;
  readonly placeholder: string;
  readonly filters?: readonly Filter[];
}

export function Filters({ label, placeholder, filters = [] }: FiltersProps) {
  const { query } = route.value;
  const hasValue = (filter: Filter): boolean => (query[filter.key] ?? '') !== '';
  const isShown = (filter: Filter): boolean => !filter.isRare || hasValue(filter);
  return (
    <>
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={query['q'] ?? ''}
        onInput={({ currentTarget }) => choose({ q: currentTarget.value, ...firstPage }, true)}
      />
      <div class="row facets" role="group" aria-label="Filters">
        {filters.filter(isShown).map((filter) => (
          <FilterMenu key={filter.key} filter={filter} />
        ))}
        {filters.some(({ isRare }) => isRare) && (
          <Menu label="More filters" content={<MenuText title="More" text="" />} look="facet">
            {() => <Choices filters={filters.filter(({ isRare }) => isRare)} />}
          </Menu>
        )}
        {filters.some(hasValue) && (
          <button type="button" class="plain" onClick={() => clear(filters)}>
            Clear
          </button>
        )}
      </div>
    </>
  );
}

/** The button goes with the filters, so the search gets the focus. */
function clear(filters: readonly Filter[], also: Readonly<Record<string, string>> = {}): void {
  choose({ ...cleared(filters), ...also });
  focusSearch();
}

function FilterMenu({ filter }: { readonly filter: Filter }) {
  const text = describeFilter(filter, route.value.query);
  return (
    <Menu
      label={text === '' ? filter.title : `${filter.title}: ${text}`}
      content={<MenuText title={filter.title} text={text} />}
      look={`facet ${text === '' ? '' : 'chosen'}`}
    >
      {() => <Choices filters={[filter]} />}
    </Menu>
  );
}

function MenuText({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <span class={text === '' ? '' : 'quiet'}>
        {title}
        {text !== '' && ':'}
      </span>
      {text !== '' && <span class="one-line">{text}</span>}
      <Icon name="chevron-down" />
    </>
  );
}

/** The values of one filter, or of several with their titles. What is typed is applied together. */
function Choices({ filters }: { readonly filters: readonly Filter[] }) {
  const { query } = route.value;
  const apply = onSubmit((typed) => {
    const changes = filters.filter(isTyped).flatMap((filter) => {
      const values = typed(filter.key)
        .split(',')
        .map(filter.kind === 'time' ? toInstant : (one) => one.trim());
      const value = values.filter((one) => one !== '').join(',');
      return value === (query[filter.key] ?? '') ? [] : [chosen(filter, { [filter.key]: value })];
    });
    choose(Object.assign({}, ...changes));
  });
  const show = (filter: Filter) =>
    isTyped(filter) ? <TypedValues filter={filter} /> : <ListedValues filter={filter} />;
  return (
    <form onSubmit={apply}>
      {filters.map((filter) =>
        filters.length === 1 ? (
          show(filter)
        ) : (
          <fieldset key={filter.key}>
            <legend class="quiet small">{filter.title}</legend>
            {show(filter)}
          </fieldset>
        ),
      )}
    </form>
  );
}

function isTyped({ kind }: Filter): boolean {
  return kind === 'text' || kind === 'time';
}

function ListedValues({ filter }: { readonly filter: Filter }) {
  const { query } = route.value;
  const { key, titles, counts } = filter;
  const chosenValues = valuesOf(query, key);
  return (
    <>
      {listValues(filter, query).map((value) => (
        <label key={value} class="item">
          <input
            type="checkbox"
            checked={chosenValues.includes(value)}
            onChange={() => choose(chosen(filter, { [key]: toggled(filter, query, value) }))}
          />
          <span class="grow">{ownOf(titles, value) ?? value}</span>
          {counts && <span class="quiet"> {(ownOf(counts, value) ?? 0).toLocaleString('en')}</span>}
        </label>
      ))}
    </>
  );
}

function TypedValues({ filter: { kind, key, title, placeholder } }: { readonly filter: Filter }) {
  const value = route.value.query[key] ?? '';
  const common = { name: key, class: 'grow', autocomplete: 'off', spellcheck: false, 'aria-label': title };
  return (
    <div class="row">
      {kind === 'time' ? (
        <input {...common} type="datetime-local" step="1" defaultValue={toUtc(value).slice(0, 19)} />
      ) : (
        <input {...common} placeholder={placeholder} defaultValue={value} />
      )}
      <button type="submit">Apply</button>
    </div>
  );
}

/** The browser leaves out seconds that are zero. */
function toInstant(text: string): string {
  return text === '' ? '' : `${text.length === 16 ? `${text}:00` : text}Z`;
}

/** Says that filters leave nothing. */
export function NoMatches({ filters = [] }: Pick<FiltersProps, 'filters'>) {
  return (
    <Empty line="No matches">
      <button type="button" onClick={() => clear(filters, { q: '' })}>
        Clear filters
      </button>
    </Empty>
  );
}
