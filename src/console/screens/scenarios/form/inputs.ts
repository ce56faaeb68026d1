/** Small fields of the form: a list of texts, and a whole number. */
import { html, type TemplateResult } from 'lit';

export function listInput(label: string, text: string, set: (texts: readonly string[]) => void): TemplateResult {
  const change = ({ target }: Event): void => {
    const texts = (target as HTMLInputElement).value.split(',').map((one) => one.trim());
    set(texts.filter((one) => one !== ''));
  };
  return html`<input type="text" size="1" class="path" aria-label=${label} .value=${text} autocomplete="off" @change=${change} />`;
}

export function wholeNumber(
  label: string,
  value: number | undefined,
  set: (value: number | undefined) => void,
): TemplateResult {
  const change = ({ target }: Event): void => {
    const { valueAsNumber } = target as HTMLInputElement;
    set(Number.isInteger(valueAsNumber) && valueAsNumber > 0 ? valueAsNumber : undefined);
  };
  return html`<input type="number" min="1" class="number" aria-label=${label} .value=${String(value ?? '')} @change=${change} />`;
}
