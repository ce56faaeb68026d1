/** Reads the current colors and the font of the style sheet, because a canvas cannot use custom properties. */
import { colorCount } from './driver-colors.ts';

export interface Palette {
  readonly of: (name: string) => string;
  /** The color of a driver; jobs without a route have none. */
  readonly driver: (color: number | undefined) => string;
  readonly font: string;
  /** Changes with the theme. */
  readonly key: string;
}

const names = [
  'land',
  'water',
  'border',
  'grid',
  'fine-grid',
  'label',
  'sea-label',
  'job',
  'on-driver',
  'text',
  'ground',
  'raised',
];

export function readPalette(host: HTMLElement): Palette {
  const probe = document.createElement('span');
  host.append(probe);
  const driverNames = Array.from({ length: colorCount }, (_, index) => `driver-${index + 1}`);
  const colors = new Map<string, string>();
  for (const name of [...names, ...driverNames]) {
    probe.style.color = `var(--${name})`;
    colors.set(name, getComputedStyle(probe).color);
  }
  probe.remove();
  const of = (name: string): string => colors.get(name) ?? '';
  return {
    of,
    driver: (color) => of(color === undefined ? 'job' : `driver-${color + 1}`),
    font: getComputedStyle(host).fontFamily,
    key: [...colors.values()].join(),
  };
}
