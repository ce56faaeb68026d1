/** Which of the matching requests a rule fires on. */
import { html, nothing, type TemplateResult } from 'lit';
import { choices } from './choices.ts';
import { wholeNumber } from './inputs.ts';
import type { Requests } from './scenario-form.ts';

export interface RequestsView {
  readonly requests: Requests;
  /** Unique in the page. */
  readonly name: string;
  readonly set: (requests: Requests) => void;
}

const requestOptions = [
  { value: 'all', label: 'Every request' },
  { value: 'next', label: 'Only the next request' },
  { value: 'first', label: 'The next n' },
  { value: 'nth', label: 'The nth' },
  { value: 'every', label: 'Every nth' },
  { value: 'range', label: 'From n on' },
];

const requestDefaults: Readonly<Record<string, Requests>> = {
  next: { kind: 'first', count: 1 },
  first: { kind: 'first', count: 3 },
  nth: { kind: 'nth', nth: 2 },
  every: { kind: 'every', every: 5 },
  range: { kind: 'range', from: 2, to: undefined },
};

export function renderRequests({ requests, name, set }: RequestsView): TemplateResult {
  const isNext = requests.kind === 'first' && requests.count === 1;
  return html`
    ${choices({
      label: 'Requests',
      name,
      options: requestOptions,
      chosen: isNext ? 'next' : requests.kind,
      choose: (value) => set(requestDefaults[value] ?? { kind: 'all' }),
    })}
    ${isNext ? nothing : renderRequestValue(requests, set)}
  `;
}

function renderRequestValue(requests: Requests, set: RequestsView['set']): TemplateResult | typeof nothing {
  switch (requests.kind) {
    case 'all':
      return nothing;
    case 'first':
      return wholeNumber('Number of requests', requests.count, (count) => count && set({ kind: 'first', count }));
    case 'nth':
      return wholeNumber('Number of the request', requests.nth, (nth) => nth && set({ kind: 'nth', nth }));
    case 'every':
      return wholeNumber('Every nth request', requests.every, (every) => every && set({ kind: 'every', every }));
    case 'range':
      return html`
        ${wholeNumber('From request', requests.from, (from) => from && set({ ...requests, from }))}
        <span class="quiet">to</span>
        ${wholeNumber('To request', requests.to, (to) => set({ ...requests, to }))}
      `;
  }
}
