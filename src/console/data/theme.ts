/** The color theme: the system's theme by default, or the user's choice. */
import { createStore, type Store } from './store.ts';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'field-sandbox-theme';

export const theme: Store<Theme> = createStore<Theme>(toTheme(localStorage.getItem(storageKey)));
applyTheme();

export function chooseTheme(name: string): void {
  theme.set(toTheme(name));
  localStorage.setItem(storageKey, theme.get());
  applyTheme();
}

function toTheme(name: string | null): Theme {
  return themes.find((one) => one === name) ?? 'system';
}

function applyTheme(): void {
  const name = theme.get();
  if (name === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', name);
}
