/** The icon of each theme. */
import type { themes } from '../data/theme.ts';
import type { IconName } from '../parts/icon.ts';

export const themeIcons: Readonly<Record<(typeof themes)[number], IconName>> = {
  system: 'monitor',
  light: 'sun',
  dark: 'moon',
};
