/** The search field of a list, and a menu per filter. The URL holds what is chosen. */
import { chosen, cleared, describeFilter, type Filter, firstPage, listValues, toggled, valuesOf } from '../filter.ts';
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
            {() => filters.filter(({ isRare }) => isRare).map((filter) => <Group key={filter.key} filter={filter} />)}
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
      {() => <Choices filter={filter} />}
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

function Group({ filter }: { readonly filter: Filter }) {
  return (
    <fieldset>
      <legend class="quiet small">{filter.title}</legend>
      <Choices filter={filter} />
    </fieldset>
  );
}

function Choices({ filter }: { readonly filter: Filter }) {
  const { query } = route.value;
  if (filter.kind === 'text' || filter.kind === 'time') return <TypedValues filter={filter} />;
  const { key, titles = {}, counts } = filter;
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
          <span class="grow">{titles[value] ?? value}</span>
          {counts && <span class="quiet"> {(counts[value] ?? 0).toLocaleString('en')}</span>}
        </label>
      ))}
    </>
  );
}

function TypedValues({ filter }: { readonly filter: Filter }) {
  const { key, title, placeholder = '' } = filter;
  const value = route.value.query[key] ?? '';
  const common = { name: key, class: 'grow', autocomplete: 'off', spellcheck: false };
  const apply = onSubmit((typed) => {
    const values = typed(key)
      .split(',')
      .map(filter.kind === 'time' ? toInstant : (one) => one.trim());
    choose(chosen(filter, { [key]: values.filter((one) => one !== '').join(',') }));
  });
  return (
    <form class="row" onSubmit={apply}>
      {filter.kind === 'time' ? (
        <input
          {...common}
          type="datetime-local"
          step="1"
          aria-label={`${title} (UTC)`}
          defaultValue={value.slice(0, 19)}
        />
      ) : (
        <input {...common} aria-label={title} placeholder={placeholder} defaultValue={value} />
      )}
      <button type="submit">Apply</button>
    </form>
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
