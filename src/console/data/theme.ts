/** Light or dark: as the system has it, or as was chosen here. */
import { createStore, type Store } from './store.ts';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const place = 'field-sandbox-theme';

export const theme: Store<Theme> = createStore<Theme>(toTheme(localStorage.getItem(place)));
show(theme.get());

export function chooseTheme(name: string): void {
  theme.set(toTheme(name));
  localStorage.setItem(place, theme.get());
  show(theme.get());
}

function toTheme(name: string | null): Theme {
  return themes.find((one) => one === name) ?? 'system';
}

function show(name: Theme): void {
  if (name === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', name);
}
