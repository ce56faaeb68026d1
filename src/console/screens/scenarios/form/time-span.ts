/** The time span of the project's clock in which a rule fires. */
import { html, type TemplateResult } from 'lit';
import { wholeNumber } from './inputs.ts';
import { part } from './part.ts';
import type { TimeSpan } from './scenario-form.ts';

/** A time span that begins at once. */
export const newTimeSpan: TimeSpan = { after: '0s', afterRequests: undefined, for: '30s' };

export function renderTimeSpan(span: TimeSpan, set: (span: TimeSpan | undefined) => void): TemplateResult {
  const { after = '', afterRequests } = span;
  const isByRequests = afterRequests !== undefined;
  const choose = ({ target }: Event): void => {
    const isRequests = (target as HTMLSelectElement).value === 'requests';
    set({ ...span, after: isRequests ? undefined : '0s', afterRequests: isRequests ? 5 : undefined });
  };
  return part(
    'Time span',
    html`
      <select aria-label="Start of the time span" @change=${choose}>
        <option value="time" ?selected=${!isByRequests}>from activation, after</option>
        <option value="requests" ?selected=${isByRequests}>after requests:</option>
      </select>
      ${
        isByRequests
          ? wholeNumber(
              'Requests before the time span',
              afterRequests,
              (count) => count && set({ ...span, afterRequests: count }),
            )
          : duration('Delay of the time span', after, (text) => set({ ...span, after: text }))
      }
      <span class="quiet">for</span>
      ${duration('Length of the time span', span.for ?? '', (text) => set({ ...span, for: text }))}
      <button type="button" class="plain" @click=${() => set(undefined)}>Remove<span class="unseen"> time span</span></button>
    `,
  );
}

/** An empty text removes the duration. */
function duration(label: string, text: string, set: (text: string | undefined) => void): TemplateResult {
  const change = ({ target }: Event): void => set((target as HTMLInputElement).value.trim() || undefined);
  return html`<input type="text" size="1" class="number" aria-label=${label} .value=${text} placeholder="no end" autocomplete="off" @change=${change} />`;
}
