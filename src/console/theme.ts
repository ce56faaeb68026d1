/** The color theme: the system's theme by default, or the user's choice. */
import { type Signal, signal } from '@preact/signals';
import type { IconName } from './parts/small.tsx';

/** The themes, with their icons. */
export const themes = { system: 'monitor', light: 'sun', dark: 'moon' } as const satisfies Record<string, IconName>;
type Theme = keyof typeof themes;
export const themeNames: readonly Theme[] = ['system', 'light', 'dark'];

const storageKey = 'field-sandbox-theme';

const read = (): Theme => themeNames.find((one) => one === localStorage.getItem(storageKey)) ?? 'system';
export const theme: Signal<Theme> = signal(read());
theme.subscribe((name) => {
  if (name === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.setAttribute('data-theme', name);
});
addEventListener('storage', () => {
  theme.value = read();
});

export function chooseTheme(name: Theme): void {
  theme.value = name;
  localStorage.setItem(storageKey, name);
}

export function nextTheme(): void {
  chooseTheme(themeNames[(themeNames.indexOf(theme.value) + 1) % themeNames.length] ?? 'system');
}
