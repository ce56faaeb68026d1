/** The search field of a list, and a menu per filter. The URL holds what is chosen. */
import { useState } from 'preact/hooks';
import { describeFilter, type Filter, firstPage, toggled, valuesOf } from '../filter.ts';
import { choose, route } from '../route.ts';
import { Menu } from './menu.tsx';
import { Icon } from './small.tsx';

interface FiltersProps {
  readonly label: string;
  readonly placeholder: string;
  readonly filters: readonly Filter[];
}

export function Filters({ label, placeholder, filters }: FiltersProps) {
  const { query } = route.value;
  const active = filters.filter(({ key }) => (query[key] ?? '') !== '');
  const clear = (): void => choose({ ...Object.fromEntries(filters.map(({ key }) => [key, ''])), ...firstPage });
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
        {filters.map((filter) => (
          <FilterMenu key={filter.key} filter={filter} />
        ))}
        {active.length > 0 && (
          <button type="button" class="plain" onClick={clear}>
            Clear
          </button>
        )}
      </div>
    </>
  );
}

function FilterMenu({ filter }: { readonly filter: Filter }) {
  const text = describeFilter(filter, route.value.query);
  const content = (
    <>
      <span class={text === '' ? '' : 'quiet'}>
        {filter.title}
        {text !== '' && ':'}
      </span>
      {text !== '' && <span class="chosen-values">{text}</span>}
      <Icon name="chevron-down" />
    </>
  );
  return (
    <Menu
      label={text === '' ? filter.title : `${filter.title}: ${text}`}
      content={content}
      look={`facet ${text === '' ? '' : 'chosen'}`}
    >
      {() => <Choices filter={filter} />}
    </Menu>
  );
}

function Choices({ filter }: { readonly filter: Filter }) {
  const { query } = route.value;
  if (filter.kind === 'text') return <TypedValues filter={filter} />;
  if (filter.kind === 'time') return <PointInTime filter={filter} />;
  const chosen = valuesOf(query, filter.key);
  const missing = chosen.filter((value) => !filter.values.some((one) => one.value === value));
  return (
    <>
      {[...filter.values, ...missing.map((value) => ({ value }))].map(
        ({ value, title = value, count }: (typeof filter.values)[number]) => (
          <label key={value} class="item">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => choose({ [filter.key]: toggled(filter, query, value), ...firstPage })}
            />
            <span class="grow">{title}</span>
            {count !== undefined && <span class="quiet"> {count.toLocaleString('en')}</span>}
          </label>
        ),
      )}
    </>
  );
}

function TypedValues({ filter }: { readonly filter: Extract<Filter, { kind: 'text' }> }) {
  const { key, title, placeholder } = filter;
  const [text, setText] = useState(route.value.query[key] ?? '');
  const apply = (event: Event): void => {
    event.preventDefault();
    const values = text.split(',').map((one) => one.trim());
    choose({ [key]: values.filter((one) => one !== '').join(','), ...firstPage });
  };
  return (
    <form class="row" onSubmit={apply}>
      <input
        class="grow"
        aria-label={title}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit">Apply</button>
    </form>
  );
}

function PointInTime({ filter: { key, title } }: { readonly filter: Filter }) {
  const [text, setText] = useState((route.value.query[key] ?? '').replace('Z', ''));
  const apply = (event: Event): void => {
    event.preventDefault();
    // The browser leaves out seconds that are zero.
    choose({ [key]: text === '' ? '' : `${text.length === 16 ? `${text}:00` : text}Z`, ...firstPage });
  };
  return (
    <form class="row" onSubmit={apply}>
      <label class="field">
        {title} (UTC)
        <input
          type="datetime-local"
          step="1"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit">Apply</button>
    </form>
  );
}
