/** Renders the choices of filters: check boxes with counts, typed values, and a span of time. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, route } from '../../data/route.ts';
import { type Filter, type FilterValue, toggled, valuesOf } from './filter.ts';

/** Renders the groups of all filters whose values contain a text. */
export function renderGroups(filters: readonly Filter[], search = ''): TemplateResult {
  return html`${filters.map((filter) => renderGroup(filter, search.toLowerCase()))}`;
}

function renderGroup(filter: Filter, search: string): TemplateResult | typeof nothing {
  const content = renderChoices(filter, search);
  if (content === nothing) return nothing;
  return html`<fieldset class="group"><legend>${filter.title}</legend>${content}</fieldset>`;
}

function renderChoices(filter: Filter, search: string): unknown {
  if (filter.kind === 'text') return filter.title.toLowerCase().includes(search) ? renderText(filter) : nothing;
  if (filter.kind === 'range') return filter.title.toLowerCase().includes(search) ? renderRange(filter) : nothing;
  const chosen = valuesOf(route.get().query, filter.key);
  const missing = chosen.filter((value) => !filter.values.some((one) => one.value === value));
  const values = [...filter.values, ...missing.map((value) => ({ value }))].filter(
    ({ value, title = value }: FilterValue) => `${filter.title} ${value} ${title}`.toLowerCase().includes(search),
  );
  if (values.length === 0) return nothing;
  return values.map((value) => renderValue(filter, value, chosen.includes(value.value)));
}

function renderValue(
  filter: Extract<Filter, { kind: 'any' | 'one' }>,
  { value: chosen, title = chosen, count }: FilterValue,
  isChosen: boolean,
): TemplateResult {
  const change = (): void => {
    const { query } = route.get();
    const value = filter.kind === 'any' ? toggled(query, filter.key, chosen) : isChosen ? '' : chosen;
    choose({ ...blank(filter.kind === 'any' ? [] : filter.clears), [filter.key]: value, page: '' });
  };
  return html`
    <label class="choice">
      <input type="checkbox" .checked=${isChosen} @change=${change} />
      <span class="grow">${title}</span>
      ${count === undefined ? nothing : html`<span class="quiet">${count.toLocaleString('en')}</span>`}
    </label>
  `;
}

function renderText({ key, title, placeholder }: Extract<Filter, { kind: 'text' }>): TemplateResult {
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const typed = String(new FormData(form).get('value')).split(',');
    const values = new Set([...valuesOf(route.get().query, key), ...typed.map((one) => one.trim())]);
    form.reset();
    choose({ [key]: [...values].filter((one) => one !== '').join(','), page: '' });
  };
  return html`
    <form class="row" @submit=${add}>
      <input class="grow" name="value" aria-label=${title} placeholder=${placeholder} autocomplete="off" spellcheck="false" required />
      <button>Add</button>
    </form>
  `;
}

function renderRange({ key, to, clears = [] }: Extract<Filter, { kind: 'range' }>): TemplateResult {
  const { query } = route.get();
  const field = (name: string, title: string): TemplateResult => html`
    <label class="field">${title}<input type="datetime-local" step="1" name=${name} .value=${(query[name] ?? '').replace(/(\.\d+)?Z$/, '')} /></label>
  `;
  const apply = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    choose({ ...blank(clears), [key]: toInstant(form.get(key)), [to]: toInstant(form.get(to)), page: '' });
  };
  return html`
    <form class="column" @submit=${apply}>
      ${field(key, 'From (UTC)')}${field(to, 'To (UTC)')}
      <div><button>Apply</button></div>
    </form>
  `;
}

function blank(keys: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, '']));
}

/** The browser leaves out seconds that are zero. */
function toInstant(typed: FormDataEntryValue | null): string {
  const text = String(typed ?? '');
  return text === '' ? '' : `${text.length === 16 ? `${text}:00` : text}Z`;
}
